#include "service/outpost/log_post.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sy::outpost {

namespace {

constexpr std::size_t kPart = std::size_t{256} << 10U;
/// Of parts that the server has not spoken of yet.
constexpr std::uint64_t kMostOnTheWay = std::uint64_t{1} << 20U;
/// For an answer, before it is sent again.
constexpr Duration kPatience = 3s;
/// No task runs for longer than this; what has not changed since is nobody's.
constexpr auto kNobodys = std::chrono::hours(48);

/// "12-3.err"; nothing where it is no log.
std::optional<wire::LogName> name_in(const std::string& file) {
    wire::LogName name;
    std::uint64_t task = 0;
    const char* end = file.data() + file.size();
    const auto first = std::from_chars(file.data(), end, task);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, name.attempt);
    const std::string_view ending(second.ptr, static_cast<std::size_t>(end - second.ptr));
    if (second.ec != std::errc{} || (ending != ".out" && ending != ".err")) return std::nullopt;
    name.task = TaskId(task);
    name.errors = ending == ".err";
    return name;
}

}  // namespace

LogPost::LogPost(std::string folder, std::function<void(const wire::LogBytes&)> send)
    : folder_(std::move(folder)), send_(std::move(send)) {
    std::error_code ignored;
    const auto now = std::filesystem::file_time_type::clock::now();
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
        if (const auto name = name_in(entry.path().filename().string()))
            logs_[*name].final = now - entry.last_write_time(ignored) > kNobodys;
}

std::string LogPost::path_of(const wire::LogName& name) const {
    return fmt::format("{}/{}-{}.{}", folder_, name.task.value(), name.attempt, name.errors ? "err" : "out");
}

void LogPost::began(TaskId task, std::uint32_t attempt) {
    logs_.try_emplace({task, attempt, false});
    logs_.try_emplace({task, attempt, true});
}

void LogPost::ended(TaskId task, std::uint32_t attempt) {
    for (const bool errors : {false, true}) {
        const wire::LogName name{task, attempt, errors};
        Log& log = logs_[name];  // it may have begun in an earlier life, and written in this one
        log.final = true;
        send_part(name, log);
    }
}

void LogPost::kept(const wire::LogKept& kept) {
    const auto found = logs_.find(kept.log);
    if (found == logs_.end()) return;
    Log& log = found->second;
    log.waits_since.reset();
    if (kept.size < log.kept) log.sent = kept.size;  // another server has less of it
    log.kept = kept.size;
    log.sent = std::max(log.sent, log.kept);
}

void LogPost::begin_again() {
    for (auto& [name, log] : logs_) log.sent = log.kept;
}

void LogPost::advance(Instant now) {
    for (auto at = logs_.begin(); at != logs_.end();) {
        auto& [name, log] = *at;
        if (log.sent == log.kept) log.waits_since.reset();
        if (log.sent > log.kept && !log.waits_since) log.waits_since = now;
        if (log.waits_since && now - *log.waits_since > kPatience) {
            log.sent = log.kept;
            log.waits_since.reset();
        }
        const bool more = log.sent - log.kept < kMostOnTheWay && send_part(name, log);
        if (more || !log.final || log.sent > log.kept) {
            ++at;
            continue;
        }
        ::unlink(path_of(name).c_str());
        at = logs_.erase(at);
    }
}

bool LogPost::send_part(const wire::LogName& name, Log& log) {
    struct stat there {};
    const std::string path = path_of(name);
    if (::stat(path.c_str(), &there) != 0 || static_cast<std::uint64_t>(there.st_size) <= log.sent) return false;
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return false;
    wire::LogBytes part{name, log.sent, std::string(kPart, '\0')};
    const ssize_t n = ::pread(file, part.bytes.data(), part.bytes.size(), static_cast<off_t>(log.sent));
    ::close(file);
    if (n <= 0) return false;
    part.bytes.resize(static_cast<std::size_t>(n));
    log.sent += static_cast<std::uint64_t>(n);
    send_(part);
    return true;
}

}  // namespace sy::outpost
