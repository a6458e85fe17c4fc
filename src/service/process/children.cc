#include "service/process/children.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace sy::process {

std::vector<pid_t> children() {
    std::vector<pid_t> found;
    const pid_t self = ::getpid();
    DIR* proc = ::opendir("/proc");
    if (proc == nullptr) return found;
    while (const dirent* entry = ::readdir(proc)) {
        char* end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (pid <= 0 || *end != '\0') continue;
        const int file = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        std::array<char, 512> text{};
        const ssize_t n = ::read(file, text.data(), text.size() - 1);
        ::close(file);
        // "pid (name) state parent": the name may hold anything, its last bracket ends it.
        const char* after = n > 0 ? std::strrchr(text.data(), ')') : nullptr;
        long parent = 0;
        if (after != nullptr && std::strlen(after) > 4) parent = std::strtol(after + 4, nullptr, 10);
        if (parent == self) found.push_back(static_cast<pid_t>(pid));
    }
    ::closedir(proc);
    return found;
}

}  // namespace sy::process
