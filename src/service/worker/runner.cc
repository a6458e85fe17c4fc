#include "service/worker/runner.h"

#include <csignal>
#include <utility>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/loop/sockets.h"
#include "service/process/keeper.h"

namespace sy::worker {

namespace {

constexpr Duration kBetweenKills = 100ms;

/// Reads what has come; a stream that has ended is closed.
template <class Hear>
void drain(int& fd, Hear hear) {
    if (fd < 0 || loop::read_all(fd, hear)) return;
    ::close(std::exchange(fd, -1));
}

}  // namespace

Result<void> Runner::start(const process::Command& command, int in) {
    const process::Pipe out = process::Pipe::make();
    const process::Pipe err = process::Pipe::make();
    out_ = out.read;
    err_ = err.read;
    for (const int fd : {out_, err_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    const auto pid = process::start_kept(command, {in, out.write, err.write});
    if (!pid) return tl::unexpected(pid.error());
    pid_ = *pid;
    return {};
}

Runner::~Runner() {
    for (kill(); !has_gone();) ::poll(nullptr, 0, 1);
    for (const int fd : {out_, err_})
        if (fd >= 0) ::close(fd);
}

void Runner::kill() const {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
}

void Runner::kill_if_due(Instant now) {
    if (now < kill_at_) return;
    kill();
    kill_at_ = now + kBetweenKills;
}

void Runner::read_out(const std::function<void(std::string_view)>& hear) {
    if (std::exchange(out_ready_, false)) drain(out_, hear);
}

void Runner::read_err(const Chatter& chatter) {
    if (std::exchange(err_ready_, false)) drain(err_, [&](std::string_view bytes) { chatter(bytes, true); });
}

bool Runner::has_gone() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
    return pid_ <= 0;
}

}  // namespace sy::worker
