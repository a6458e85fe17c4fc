#include "service/worker/runner.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/loop/sockets.h"
#include "service/process/keeper.h"

namespace sy::worker {

namespace {

/// A longer line is no answer.
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;
constexpr Duration kBetweenKills = 100ms;

/// Reads what has come; a stream that has ended is closed.
template <class Hear>
void drain(int& fd, Hear hear) {
    if (fd < 0 || loop::read_all(fd, hear)) return;
    ::close(std::exchange(fd, -1));
}

}  // namespace

Result<Runner> Runner::start(NameId model, const process::Command& command, Instant now) {
    const process::Pipe in = process::Pipe::make();
    const process::Pipe out = process::Pipe::make();
    const process::Pipe err = process::Pipe::make();
    Runner runner;
    runner.model_ = model;
    runner.started_ = now;
    runner.in_ = in.write;
    runner.out_ = out.read;
    runner.err_ = err.read;
    for (const int fd : {in.write, out.read, err.read}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
    const auto pid = process::start_kept(command, {in.read, out.write, err.write});
    if (!pid) return tl::unexpected(pid.error());
    runner.pid_ = *pid;
    return runner;
}

Runner::Runner(Runner&& other) noexcept {
    *this = std::move(other);
}

Runner& Runner::operator=(Runner&& other) noexcept {
    std::swap(model_, other.model_);
    std::swap(pid_, other.pid_);
    std::swap(in_, other.in_);
    std::swap(out_, other.out_);
    std::swap(err_, other.err_);
    std::swap(stage_, other.stage_);
    std::swap(started_, other.started_);
    std::swap(kill_at_, other.kill_at_);
    std::swap(id_, other.id_);
    std::swap(unsent_, other.unsent_);
    std::swap(line_, other.line_);
    std::swap(flooded_, other.flooded_);
    std::swap(out_ready_, other.out_ready_);
    std::swap(err_ready_, other.err_ready_);
    return *this;
}

Runner::~Runner() {
    for (kill(); !has_gone();) ::poll(nullptr, 0, 1);
    for (const int fd : {in_, out_, err_})
        if (fd >= 0) ::close(fd);
}

void Runner::call(const std::string& id, const std::string& input_json) {
    id_ = id;
    stage_ = Stage::busy;
    unsent_ += run_line(id, input_json);
    write();
}

void Runner::cancel() {
    unsent_ += cancel_line(id_);
    write();
}

void Runner::leave(Instant kill_at) {
    if (stage_ == Stage::leaving) return;
    stage_ = Stage::leaving;
    kill_at_ = kill_at;
    unsent_ += unload_line();
    write();
}

void Runner::kill() const {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
}

void Runner::kill_if_due(Instant now) {
    if (now < kill_at_) return;
    kill();
    kill_at_ = now + kBetweenKills;
}

void Runner::write() {
    while (!unsent_.empty()) {
        const ssize_t n = ::write(in_, unsent_.data(), unsent_.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) return unsent_.clear();  // it is gone, which shows elsewhere
        unsent_.erase(0, static_cast<std::size_t>(n));
    }
}

std::vector<RunnerWord> Runner::hear(const std::function<void(std::string_view, bool errors)>& chatter) {
    std::vector<RunnerWord> words;
    const auto take_line = [&] {
        RunnerWord word = parse_word(line_, id_);
        if (std::holds_alternative<Ready>(word) && stage_ != Stage::loading) word = Chatter{};
        if (std::holds_alternative<Chatter>(word)) chatter(line_ + "\n", false);
        if (std::holds_alternative<Ready>(word)) stage_ = Stage::idle;
        const bool answers = std::holds_alternative<Output>(word) || std::holds_alternative<Failure>(word);
        if (answers && stage_ == Stage::busy) {
            stage_ = Stage::idle;
            id_.clear();
        }
        words.push_back(std::move(word));
        line_.clear();
    };
    const auto add = [&](std::string_view bytes) {
        for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
            line_ += bytes.substr(0, end);
            if (!std::exchange(flooded_, false)) take_line();
            line_.clear();
        }
        line_ += bytes;
        if (line_.size() <= kLongestLine) return;
        if (!flooded_) words.push_back(Failure{"the runner wrote a line of more than 8 MB", false});
        flooded_ = true;
        line_.clear();
    };
    if (std::exchange(out_ready_, false)) drain(out_, add);
    if (std::exchange(err_ready_, false)) drain(err_, [&](std::string_view bytes) { chatter(bytes, true); });
    return words;
}

bool Runner::has_gone() {
    if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0) pid_ = -1;
    return pid_ <= 0;
}

}  // namespace sy::worker
