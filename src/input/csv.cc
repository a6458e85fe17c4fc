#include "input/csv.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "input/reading.h"

namespace sy::input {

namespace {

/// What may end a plain cell, or must not stand in one.
constexpr std::array<bool, 256> kSpecial = [] {
    std::array<bool, 256> special{};
    for (const char c : {',', '\n', '\r', '"'}) special[static_cast<unsigned char>(c)] = true;
    return special;
}();

bool is_special(char c) {
    return kSpecial[static_cast<unsigned char>(c)];
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

std::string Cell::text() const {
    std::string out(raw);
    if (!doubled) return out;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        out[kept++] = raw[i];
        if (raw[i] == '"') ++i;  // its double
    }
    out.resize(kept);
    return out;
}

Csv::Csv(std::string_view text) : text_(text) {
    if (text.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        throw Refused{mark(nul), "byte 0x00 does not belong in a text file",
                      "this looks like a binary file, or one in UTF-16; write CSV in UTF-8"};
}

bool Csv::next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"))
        at_ += text_[at_] == '\n' ? 1U : 2U;
    if (at_ == text_.size()) return false;
    cells_.clear();
    count_ = 0;
    row_at_ = at_;
    row_ended_ = false;
    while (!row_ended_) {
        if (at_ < text_.size() && text_[at_] == '"') {
            read_quoted();
        } else {
            read_plain();
        }
        end_row();
    }
    return true;
}

void Csv::read_plain() {
    const char* const text = text_.data();
    const std::size_t size = text_.size();
    std::size_t first = at_;
    std::size_t end = first;
    while (end < size && !is_special(text[end])) ++end;
    at_ = end;
    while (first < end && is_blank(text_[first])) ++first;
    while (end > first && is_blank(text_[end - 1])) --end;
    if (at_ < text_.size() && text_[at_] == '"')
        throw Refused{mark(at_), "a quote stands inside a cell that does not begin with one",
                      "put the whole cell in quotes, and double the quotes inside it"};
    keep({text_.substr(first, end - first), first, false});
}

void Csv::read_quoted() {
    const std::size_t open = at_++;
    bool doubled = false;
    while (true) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos)
            throw Refused{mark(open), "a quote is opened here and never closed", "close it, or double it"};
        at_ = quote + 1;
        if (at_ == text_.size() || text_[at_] != '"') break;
        doubled = true;
        ++at_;
    }
    keep({text_.substr(open + 1, at_ - open - 2), open, doubled});
    if (at_ < text_.size() && !is_special(text_[at_]))
        throw Refused{mark(at_), "text follows the closing quote of a cell",
                      "end the cell with a comma, or double the quotes inside it"};
}

/// Behind a cell: a comma goes on, everything else ends the row.
void Csv::end_row() {
    if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        return;
    }
    row_ended_ = true;
    if (at_ == text_.size()) return;
    if (text_[at_] == '\r') {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != '\n')
            throw Refused{mark(at_), "a carriage return stands without a line feed", "end lines with LF or CRLF"};
        ++at_;
    }
    ++at_;
}

Mark Csv::mark(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const std::size_t line_at = before.rfind('\n') + 1;  // npos + 1 is 0
    std::string_view line = before.substr(line_at);
    if (line_at == 0 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
            1 + static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character))};
}

}  // namespace sy::input
