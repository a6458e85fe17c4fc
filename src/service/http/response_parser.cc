#include "service/http/response_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace sy::http {

namespace {

constexpr std::size_t kLongestChunkLine = 1024;
constexpr std::size_t kMostShown = 60;

std::string lower(std::string_view text) {
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return low;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// All of the text is one number.
bool read_number(std::string_view text, std::uint64_t& number, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && !text.empty() && end == text.data() + text.size();
}

/// As an error may show it: the beginning of its first line.
std::string shown(std::string_view text) {
    std::string plain;
    text = text.substr(0, text.find_first_of("\r\n"));
    for (const char c : text.substr(0, kMostShown)) plain.push_back(c >= ' ' && c <= '~' ? c : '?');
    return plain;
}

}  // namespace

std::string ResponseParser::header(const std::string& name) const {
    const auto found = headers_.find(name);
    return found == headers_.end() ? std::string() : found->second;
}

std::string ResponseParser::take_body() {
    return std::exchange(body_, {});
}

void ResponseParser::add(std::string_view bytes) {
    if (part_ == Part::whole || part_ == Part::broken) return;
    bytes_ += bytes;
    while (step()) {
    }
    bytes_.erase(0, std::exchange(at_, 0));
}

void ResponseParser::end() {
    if (part_ == Part::whole || part_ == Part::broken) return;
    if (part_ == Part::until_end) {
        part_ = Part::whole;
        return;
    }
    refuse(has_head() ? "it hung up in the middle of its answer" : "it hung up before it answered");
}

/// Reads one thing; false where it has to wait for more, or is done.
bool ResponseParser::step() {
    switch (part_) {
        case Part::head: return read_head();
        case Part::counted: return read_body(left_);
        case Part::chunk_size: return read_chunk_size();
        case Part::chunk: return read_body(left_);
        case Part::chunk_end: return read_chunk_end();
        case Part::trailer: return read_trailer();
        case Part::until_end: return read_body(std::numeric_limits<std::uint64_t>::max());
        case Part::whole:
        case Part::broken: break;
    }
    return false;
}

bool ResponseParser::refuse(std::string why) {
    trouble_ = std::move(why);
    part_ = Part::broken;
    bytes_.clear();
    at_ = 0;
    return false;
}

/// The next line without its end; false where it has not come whole.
bool ResponseParser::take_line(std::string_view& line, std::size_t longest) {
    const std::size_t end = bytes_.find('\n', at_);
    if (std::min(end, bytes_.size()) - at_ > longest) return refuse("a line of its answer is too long");
    if (end == std::string::npos) return false;
    line = std::string_view(bytes_).substr(at_, end - at_);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at_ = end + 1;
    return true;
}

/// Whole, or not at all: a head is short.
bool ResponseParser::read_head() {
    constexpr std::string_view kBegin = "HTTP/1.";
    const std::string_view come = std::string_view(bytes_).substr(at_);
    if (come.substr(0, kBegin.size()) != kBegin.substr(0, come.size()))
        return refuse(fmt::format("what it sent is not HTTP: '{}'", shown(come)));
    const std::size_t crlf = come.find("\r\n\r\n");
    const std::size_t plain = come.find("\n\n");
    const std::size_t end =
        std::min(crlf == std::string_view::npos ? crlf : crlf + 4, plain == std::string_view::npos ? plain : plain + 2);
    if (std::min(end, come.size()) > limits_.head_bytes)
        return refuse(fmt::format("the head of its answer has more than {} bytes", limits_.head_bytes));
    if (end == std::string_view::npos) return false;
    std::string_view line;
    if (!take_line(line, limits_.head_bytes)) return false;
    if (!read_status(line)) return refuse(fmt::format("what it sent is not HTTP: '{}'", shown(line)));
    headers_.clear();
    while (take_line(line, limits_.head_bytes) && !line.empty()) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            return refuse(fmt::format("a header of its answer is '{}'", shown(line)));
        headers_[lower(line.substr(0, colon))] = std::string(trimmed(line.substr(colon + 1)));
    }
    if (status_ >= 200) {
        choose_body();
    } else {
        status_ = 0;  // a word on the way; the answer comes after it
    }
    return part_ != Part::broken;
}

/// "HTTP/1.1 200 OK"
bool ResponseParser::read_status(std::string_view line) {
    std::uint64_t status = 0;
    if (line.size() < 12 || line[8] != ' ' || (line.size() > 12 && line[12] != ' ')) return false;
    if (!read_number(line.substr(9, 3), status, 10) || status < 100) return false;
    status_ = static_cast<unsigned>(status);
    return true;
}

void ResponseParser::choose_body() {
    const std::string coding = lower(header("transfer-encoding"));
    const std::string length = header("content-length");
    if (status_ == 204 || status_ == 304) {
        part_ = Part::whole;
    } else if (coding == "chunked") {
        part_ = Part::chunk_size;
    } else if (!coding.empty() && coding != "identity") {
        refuse(fmt::format("its answer comes as '{}', which nobody asked for", shown(coding)));
    } else if (length.empty()) {
        part_ = Part::until_end;
        ends_with_line_ = true;
    } else if (!read_number(length, left_, 10)) {
        refuse(fmt::format("its answer has a Content-Length of '{}'", shown(length)));
    } else if (left_ > limits_.body_bytes) {
        refuse(fmt::format("its answer has {} bytes, the limit is {}", left_, limits_.body_bytes));
    } else {
        part_ = left_ == 0 ? Part::whole : Part::counted;
    }
}

bool ResponseParser::read_chunk_size() {
    std::string_view line;
    if (!take_line(line, kLongestChunkLine)) return false;
    if (!read_number(trimmed(line.substr(0, line.find(';'))), left_, 16))
        return refuse(fmt::format("a chunk of its answer has the size '{}'", shown(line)));
    part_ = left_ == 0 ? Part::trailer : Part::chunk;
    return true;
}

bool ResponseParser::read_chunk_end() {
    std::string_view line;
    if (!take_line(line, kLongestChunkLine)) return false;
    if (!line.empty()) return refuse("a chunk of its answer is longer than it said");
    part_ = Part::chunk_size;
    return true;
}

bool ResponseParser::read_trailer() {
    std::string_view line;
    if (!take_line(line, kLongestChunkLine)) return false;
    if (line.empty()) part_ = Part::whole;
    return !line.empty();
}

bool ResponseParser::read_body(std::uint64_t most) {
    const std::size_t here = static_cast<std::size_t>(std::min<std::uint64_t>(most, bytes_.size() - at_));
    if (here == 0) return false;
    seen_ += here;
    if (seen_ > limits_.body_bytes)
        return refuse(fmt::format("its answer has more than {} bytes, the limit", limits_.body_bytes));
    body_.append(bytes_, at_, here);
    at_ += here;
    if (part_ == Part::until_end) return false;
    left_ -= here;
    if (left_ > 0) return false;
    part_ = part_ == Part::chunk ? Part::chunk_end : Part::whole;
    return true;
}

}  // namespace sy::http
