#include "service/audit/log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/compile.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "service/auth/sha256.h"

namespace sy::audit {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostUnwritten = std::size_t{1} << 20U;

/// As JSON has it.
void add_quoted(std::string& line, const std::string& text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
    if (!plain) return void(line += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
    line.append(1, '"').append(text).append(1, '"');
}

/// Before the first line.
const std::string& no_hash() {
    static const std::string kNone(64, '0');
    return kNone;
}

std::string time_text(std::int64_t time_ms) {
    const std::time_t seconds = time_ms / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z"), parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, time_ms % 1000);
}

tl::unexpected<Error> trouble_with(const std::string& path) {
    const bool missing = errno == ENOENT;
    return fail(Fault::failed, fmt::format("{}: {}", path, ::strerrordesc_np(errno)),
                missing ? "name the folder of a service that has run" : "is there room, and may it be written?");
}

/// The last line, whole or not, and whether it was ended; reads no more than that.
struct Tail {
    std::string line;
    bool ended = true;
};

Result<Tail> read_tail(int file, const std::string& path) {
    struct stat there {};
    if (::fstat(file, &there) != 0) return trouble_with(path);
    std::string text;
    for (std::int64_t from = there.st_size; from > 0;) {
        const std::int64_t step = std::min<std::int64_t>(from, 65'536);
        std::string part(static_cast<std::size_t>(step), '\0');
        from -= step;
        if (::pread(file, part.data(), part.size(), from) != step) return trouble_with(path);
        text.insert(0, part);
        const std::size_t mark = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
        if (mark == std::string::npos) continue;
        text = text.substr(mark + 1);
        break;
    }
    const bool ended = text.empty() || text.back() == '\n';
    if (ended && !text.empty()) text.pop_back();
    return Tail{text, ended};
}

}  // namespace

Result<Log> Log::open(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return trouble_with(path);
    Log log(file, path, no_hash());
    const auto tail = read_tail(file, path);
    if (!tail) return tl::unexpected(tail.error());
    if (!tail->ended && ::write(file, "\n", 1) != 1) return trouble_with(path);
    if (!tail->line.empty()) log.previous_ = auth::sha256_hex(tail->line);
    return log;
}

Log::Log(int file, std::string path, std::string previous)
    : file_(file), path_(std::move(path)), previous_(std::move(previous)) {}
Log::Log(Log&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)), previous_(std::move(other.previous_)) {}
Log& Log::operator=(Log&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(path_, other.path_);
    std::swap(previous_, other.previous_);
    std::swap(unwritten_, other.unwritten_);
    return *this;
}
Log::~Log() {
    if (file_ >= 0) ::close(file_);
}

void Log::add(const Record& record) {
    const std::size_t start = unwritten_.size();
    unwritten_.append(R"({"time":")").append(time_text(record.time_ms)).append(R"(","who":)");
    add_quoted(unwritten_, record.who);
    unwritten_ += R"(,"what":)";
    add_quoted(unwritten_, record.what);
    unwritten_ += R"(,"about":)";
    add_quoted(unwritten_, record.about);
    unwritten_.append(R"(,"status":)").append(std::to_string(record.status));
    unwritten_.append(R"(,"previous":")").append(previous_).append(R"("})");
    previous_ = auth::sha256_hex(std::string_view(unwritten_).substr(start));
    unwritten_ += '\n';
}

/// What could not be written is kept, in its order, up to a limit; then the chain shows that something is missing.
Result<void> Log::flush() {
    while (!unwritten_.empty()) {
        const ssize_t n = ::write(file_, unwritten_.data(), unwritten_.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            auto trouble = trouble_with(path_);
            if (unwritten_.size() > kMostUnwritten) unwritten_.clear();
            return trouble;
        }
        unwritten_.erase(0, static_cast<std::size_t>(n));
    }
    return {};
}

Result<Verdict> verify(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return trouble_with(path);
    Verdict verdict{.last = no_hash()};
    for (std::string line; std::getline(file, line);) {
        const Json json = Json::parse(line, nullptr, false);
        const bool readable = json.is_object() && json.contains("previous") && json["previous"].is_string();
        if (!readable || json["previous"] != verdict.last) {
            verdict.broken_at = verdict.intact + 1;
            verdict.why = readable ? "it does not follow from the line before it" : "it is no record";
            return verdict;
        }
        verdict.last = auth::sha256_hex(line);
        ++verdict.intact;
    }
    return verdict;
}

}  // namespace sy::audit
