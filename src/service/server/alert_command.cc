#include "service/server/alert_command.h"

#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sy::server {

AlertCommand::AlertCommand(loop::Loop& loop, std::vector<std::string> words, Duration patience, Alerts::Say say,
                           Alerts::Processes processes)
    : loop_(loop),
      words_(std::move(words)),
      patience_(patience),
      say_(std::move(say)),
      processes_(std::move(processes)) {}

AlertCommand::~AlertCommand() {
    for (const auto& [pidfd, run] : running_) {
        loop_.cancel(run.timer);
        loop_.forget(pidfd);
        ::close(pidfd);
    }
}

void AlertCommand::tell(const Alert& alert) {
    if (running_.size() >= kMostAtATime)
        return say_(fmt::format("{} alert commands run already, no further one is started", running_.size()));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    ::fcntl(ends[0], F_SETFL, 0);  // the program's end waits, ours does not
    const std::string text = json_of(alert);
    static_cast<void>(!::write(ends[1], text.data(), text.size()));  // a pipe has room for it
    const pid_t pid = start(ends[0]);
    for (const int end : ends) ::close(end);
    if (pid < 0) return;
    if (processes_.started) processes_.started(pid);
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    loop_.watch(pidfd, EPOLLIN, [this, pidfd](std::uint32_t) { ended(pidfd); });
    running_[pidfd] = {pid, loop_.at(loop::Loop::now() + patience_, [this, pid] {
                           say_(fmt::format("the alert command {} takes too long and is ended", words_.front()));
                           ::kill(-pid, SIGKILL);
                       })};
}

/// -1 where it cannot be started.
pid_t AlertCommand::start(int input) {
    std::vector<char*> argv;
    for (std::string& word : words_) argv.push_back(word.data());
    argv.push_back(nullptr);
    sigset_t none;
    sigset_t broken_pipe;
    sigemptyset(&none);
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t manner;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    ::posix_spawnattr_init(&manner);
    ::posix_spawnattr_setsigmask(&manner, &none);
    ::posix_spawnattr_setsigdefault(&manner, &broken_pipe);
    ::posix_spawnattr_setflags(&manner, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    pid_t pid = -1;
    const int error = ::posix_spawnp(&pid, argv[0], &files, &manner, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&manner);
    if (error == 0) return pid;
    say_(fmt::format("the alert command {} cannot be started: {}", words_.front(), ::strerrordesc_np(error)));
    return -1;
}

void AlertCommand::ended(int pidfd) {
    const auto found = running_.find(pidfd);
    const Run run = found->second;
    running_.erase(found);
    loop_.cancel(run.timer);
    loop_.forget(pidfd);
    ::close(pidfd);
    int status = 0;
    ::waitpid(run.pid, &status, 0);
    if (processes_.ended) processes_.ended(run.pid);
    if (status == 0) return;
    say_(fmt::format("the alert command {} failed ({} {})", words_.front(),
                     WIFSIGNALED(status) ? "signal" : "exit code",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
}

}  // namespace sy::server
