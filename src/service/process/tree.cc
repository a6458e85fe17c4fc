#include "service/process/tree.h"

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/process/children.h"
#include "service/process/spawn.h"

namespace sy::process {

namespace {

Ending ending_of(int status, const rusage& use) {
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    const bool by_signal = WIFSIGNALED(status);
    return {by_signal ? 0 : WEXITSTATUS(status), by_signal ? WTERMSIG(status) : 0,
            seconds(use.ru_utime) + seconds(use.ru_stime), static_cast<std::uint64_t>(use.ru_maxrss) * 1024};
}

}  // namespace

Result<Tree> Tree::start(const Command& command) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const Pipe out = Pipe::make();
    const Pipe err = Pipe::make();
    const int in = text_fd(command.input);
    const auto pid = spawn(command, {in, out.write, err.write});
    for (const int end : {out.write, err.write, in}) ::close(end);
    Tree tree;
    tree.out_ = out.read;
    tree.err_ = err.read;
    if (!pid) return tl::unexpected(pid.error());
    tree.pid_ = *pid;
    tree.pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0));
    for (const int fd : {tree.out_, tree.err_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return tree;
}

Tree::Tree(Tree&& other) noexcept {
    *this = std::move(other);
}

Tree& Tree::operator=(Tree&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(pidfd_, other.pidfd_);
    std::swap(out_, other.out_);
    std::swap(err_, other.err_);
    std::swap(ending_, other.ending_);
    std::swap(others_, other.others_);
    return *this;
}

Tree::~Tree() {
    if (pid_ > 0) {
        for (kill(); !reap(); kill()) ::poll(nullptr, 0, 1);
    }
    close_all();
}

void Tree::close_all() {
    for (int* fd : {&pidfd_, &out_, &err_})
        if (const int open = std::exchange(*fd, -1); open >= 0) ::close(open);
}

void Tree::signal(int number) const {
    if (pid_ > 0) ::kill(-pid_, number);
}

void Tree::kill() const {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    for (const pid_t child : children())
        if (!is_other(child)) ::kill(child, SIGKILL);
}

bool Tree::is_other(pid_t child) const {
    return others_ != nullptr && others_->contains(child);
}

/// Waits for whoever has ended; whether somebody is left.
bool Tree::collect() {
    const bool alone = others_ == nullptr || others_->empty();
    const auto wait_for = [this](pid_t pid) {
        int status = 0;
        rusage use{};
        const pid_t gone = ::wait4(pid, &status, WNOHANG, &use);
        if (gone == pid_) ending_ = ending_of(status, use);
        return gone;
    };
    if (alone) {
        pid_t gone = 0;
        while ((gone = wait_for(-1)) > 0) continue;
        return gone == 0;
    }
    for (;;) {  // what has gone may have left children to us
        bool gone = false;
        bool left = false;
        for (const pid_t child : children()) {
            if (is_other(child)) continue;
            const bool collected = wait_for(child) == child;
            gone = gone || collected;
            left = left || !collected;
        }
        if (!gone) return left;
    }
}

std::optional<Ending> Tree::reap() {
    if (pid_ <= 0) return ending_;
    if (collect()) {
        if (ending_) kill();
        return std::nullopt;
    }
    if (!ending_) ending_ = Ending{};  // somebody else has waited for it: it is gone, and how is not known
    pid_ = -1;
    return ending_;
}

}  // namespace sy::process
