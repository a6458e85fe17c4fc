#include "service/process/marked.h"

#include <csignal>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "service/process/children.h"

namespace sy::process {

namespace {

std::string environment_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::vector<pid_t> find_marked(const Mark& mark) {
    std::vector<pid_t> found;
    const std::string wanted = fmt::format("{0}{1}={2}{0}", '\0', mark.first, mark.second);
    for (const pid_t pid : everybody())
        if (pid != ::getpid() && ('\0' + environment_of(pid)).find(wanted) != std::string::npos) found.push_back(pid);
    return found;
}

bool is_marked(pid_t pid, const std::string& name, const std::string& value_begins) {
    const std::string wanted = fmt::format("{}{}={}", '\0', name, value_begins);
    return ('\0' + environment_of(pid)).find(wanted) != std::string::npos;
}

void end_marked(const Mark& mark) {
    constexpr int kSure = 3;  // one that is just becoming another program shows no environment for a moment
    for (int empty = 0; empty < kSure;) {
        const std::vector<pid_t> left = find_marked(mark);
        empty = left.empty() ? empty + 1 : 0;
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
        if (empty < kSure) ::poll(nullptr, 0, 1);
    }
}

}  // namespace sy::process
