#include "service/process/marked.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace sy::process {

namespace {

std::string environment_of(long pid) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

std::vector<pid_t> find_marked(const Mark& mark) {
    std::vector<pid_t> found;
    DIR* proc = ::opendir("/proc");
    if (proc == nullptr) return found;
    const std::string wanted = '\0' + mark.first + "=" + mark.second + '\0';
    while (const dirent* entry = ::readdir(proc)) {
        char* end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (pid <= 0 || *end != '\0' || pid == ::getpid()) continue;
        if (('\0' + environment_of(pid)).find(wanted) != std::string::npos) found.push_back(static_cast<pid_t>(pid));
    }
    ::closedir(proc);
    return found;
}

void end_marked(const Mark& mark) {
    for (;;) {
        const std::vector<pid_t> left = find_marked(mark);
        if (left.empty()) return;
        for (const pid_t pid : left) ::kill(pid, SIGKILL);
        ::poll(nullptr, 0, 1);
    }
}

}  // namespace sy::process
