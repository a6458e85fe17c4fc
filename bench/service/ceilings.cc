#include "service/ceilings.h"

#include <chrono>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "service/load.h"

namespace sy::bench {

namespace {

bool start_true(const std::string& log) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0640);
    ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    std::string program = "/bin/true";
    char* const words[] = {program.data(), nullptr};
    char* const environment[] = {nullptr};
    pid_t pid = 0;
    const bool started = ::posix_spawn(&pid, program.c_str(), &actions, nullptr, words, environment) == 0;
    ::posix_spawn_file_actions_destroy(&actions);
    return started;
}

}  // namespace

double fdatasync_p50_us(const std::string& folder, int writes) {
    const int file = ::open((folder + "/fdatasync").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string bytes(512, 'x');
    std::vector<double> times;
    for (int i = 0; i < writes; ++i) {
        const Clock::time_point start = Clock::now();
        if (::write(file, bytes.data(), bytes.size()) < 0 || ::fdatasync(file) != 0) break;
        times.push_back(seconds_since(start) * 1e6);
    }
    ::close(file);
    return percentile(times, 0.5);
}

double fork_exec_per_s(const std::string& folder, int programs) {
    constexpr int kAtOnce = 2;
    const Clock::time_point start = Clock::now();
    int running = 0;
    for (int i = 0; i < programs; ++i) {
        if (running == kAtOnce && ::wait(nullptr) > 0) --running;
        if (start_true(fmt::format("{}/true.{}", folder, i))) ++running;
    }
    while (running > 0 && ::wait(nullptr) > 0) --running;
    return programs / seconds_since(start);
}

}  // namespace sy::bench
