// The kernel counts the memory that a process had before exec() towards the peak of what comes after. With a plain fork
// that is what this program holds now, which malloc_trim() keeps small; posix_spawn() shares memory until exec() and
// would pass on this program's own peak.
#include "child.h"

#include <filesystem>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sy::bench {

std::string switchyard_path() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "switchyard";
}

std::optional<std::uint64_t> peak_bytes(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    malloc_trim(0);
    const pid_t child = fork();
    if (child < 0) return std::nullopt;
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        execv(words[0], words.data());
        _exit(127);
    }
    int status = 0;
    rusage usage{};
    if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace sy::bench
