#include "service/process/keeper.h"

#include <cerrno>
#include <csignal>
#include <string>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/process/children.h"

namespace sy::process {

namespace {

sigset_t watched_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, number);
    return signals;
}

/// Until the program has ended, or somebody asks for its end.
void watch(pid_t program) {
    const sigset_t signals = watched_signals();
    for (;;) {
        int number = 0;
        ::sigwait(&signals, &number);
        if (number != SIGCHLD) return;
        for (pid_t gone = 0; (gone = ::waitpid(-1, nullptr, WNOHANG)) > 0;)
            if (gone == program) return;
    }
}

void end_all() {
    for (;;) {
        for (const pid_t child : children()) ::kill(child, SIGKILL);
        pid_t gone = 0;
        while ((gone = ::waitpid(-1, nullptr, WNOHANG)) > 0) continue;
        if (gone < 0 && errno == ECHILD) return;
        ::poll(nullptr, 0, 1);
    }
}

/// In the keeper. Tells through `word` why the program did not start, or nothing.
[[noreturn]] void keep(const Command& command, const Streams& streams, pid_t parent, int word) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::setpgid(0, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const sigset_t signals = watched_signals();
    ::sigprocmask(SIG_SETMASK, &signals, nullptr);  // NOLINT(concurrency-mt-unsafe): one thread
    const auto program = spawn(command, streams);
    for (const int fd : {streams.in, streams.out, streams.err}) ::close(fd);
    if (!program) {
        const std::string& why = program.error().message;
        static_cast<void>(!::write(word, why.data(), why.size()));
        ::_exit(127);
    }
    ::close(word);
    ::close_range(3, ~0U, 0);
    watch(*program);
    end_all();
    ::_exit(0);
}

std::string hear(int fd) {
    std::string all;
    char buffer[512];
    for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
    return all;
}

}  // namespace

Result<pid_t> start_kept(const Command& command, const Streams& streams) {
    const Pipe word = Pipe::make();
    const pid_t us = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) keep(command, streams, us, word.write);
    for (const int fd : {streams.in, streams.out, streams.err, word.write}) ::close(fd);
    const std::string why = pid < 0 ? "no process could be made" : hear(word.read);
    ::close(word.read);
    if (why.empty()) return pid;
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return fail(Fault::failed, why, "check the program's name and the working directory");
}

}  // namespace sy::process
