#include "service/processor_time.h"

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "service/process/children.h"

namespace sy::bench {

namespace {

struct Used {
    pid_t parent = 0;
    double ticks = 0;
};

Used used_by(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    const std::size_t bracket = text.rfind(')');  // a program may call itself anything
    if (bracket == std::string::npos) return {};
    std::istringstream fields(text.substr(bracket + 2));
    constexpr int kParent = 1;  // counted behind the name: state, parent, …
    constexpr int kFirstTicks = 11;
    constexpr int kLastTicks = 14;  // user, system, and both of the children that were waited for
    Used used;
    std::string word;
    for (int i = 0; i <= kLastTicks && fields >> word; ++i) {
        if (i == kParent) used.parent = std::stoi(word);
        if (i >= kFirstTicks) used.ticks += std::stod(word);
    }
    return used;
}

bool is_below(const std::map<pid_t, Used>& all, pid_t pid, pid_t root) {
    for (auto at = all.find(pid); at != all.end(); at = all.find(at->second.parent))
        if (at->first == root) return true;
    return false;
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

double tree_seconds(pid_t root) {
    std::map<pid_t, Used> all;
    for (const pid_t pid : process::everybody()) all[pid] = used_by(pid);
    double ticks = 0;
    for (const auto& [pid, used] : all)
        if (is_below(all, pid, root)) ticks += used.ticks;
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace sy::bench
