#include "service/process/children.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace sy::process {

namespace {

/// 0 where there is no such process any more.
pid_t parent_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    // "pid (name) state parent …": the name may hold anything, its last bracket ends it.
    const std::size_t bracket = text.rfind(')');
    pid_t parent = 0;
    if (bracket != std::string::npos && text.size() > bracket + 4)
        std::from_chars(text.data() + bracket + 4, text.data() + text.size(), parent);
    return parent;
}

/// As the kernel lists them for each of our threads; nothing where this kernel does not. Who has ended stays listed
/// until we wait for it, and who is left to us comes last, so that the list cannot lose anybody while we read it.
std::optional<std::vector<pid_t>> listed_children() {
    std::vector<pid_t> found;
    std::error_code trouble;
    for (std::filesystem::directory_iterator thread("/proc/self/task", trouble), end; !trouble && thread != end;
         thread.increment(trouble)) {
        std::ifstream file(thread->path() / "children");
        if (!file) return std::nullopt;
        for (pid_t pid = 0; file >> pid;) found.push_back(pid);
    }
    return trouble ? std::nullopt : std::optional(found);
}

}  // namespace

std::vector<pid_t> everybody() {
    std::vector<pid_t> all;
    std::error_code trouble;
    for (std::filesystem::directory_iterator entry("/proc", trouble), end; !trouble && entry != end;
         entry.increment(trouble)) {
        const std::string name = entry->path().filename().string();
        pid_t pid = 0;
        const auto [last, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc{} && last == name.data() + name.size()) all.push_back(pid);
    }
    return all;
}

std::vector<pid_t> children() {
    if (auto listed = listed_children()) return std::move(*listed);
    std::vector<pid_t> found;
    for (const pid_t pid : everybody())
        if (parent_of(pid) == ::getpid()) found.push_back(pid);
    return found;
}

}  // namespace sy::process
