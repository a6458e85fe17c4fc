#include "service/worker/line_runner.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace sy::worker {

namespace {
/// A longer line is no answer.
constexpr std::size_t kLongestLine = std::size_t{8} << 20U;
}  // namespace

Result<std::unique_ptr<Runner>> LineRunner::start(NameId model, const process::Command& command, Instant now) {
    std::unique_ptr<LineRunner> runner(new LineRunner(model, now));
    const process::Pipe in = process::Pipe::make();
    runner->in_ = in.write;
    ::fcntl(in.write, F_SETFL, O_NONBLOCK);
    if (const auto started = runner->Runner::start(command, in.read); !started) return tl::unexpected(started.error());
    return runner;
}

LineRunner::~LineRunner() {
    if (in_ >= 0) ::close(in_);
}

void LineRunner::call(const std::string& id, const std::string& input_json) {
    id_ = id;
    enter(Stage::busy);
    unsent_ += run_line(id, input_json);
    write();
}

void LineRunner::cancel() {
    unsent_ += cancel_line(id_);
    write();
}

void LineRunner::leave(Instant kill_at) {
    if (stage() == Stage::leaving) return;
    leave_by(kill_at);
    unsent_ += unload_line();
    write();
}

void LineRunner::write() {
    while (!unsent_.empty()) {
        const ssize_t n = ::write(in_, unsent_.data(), unsent_.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n < 0) return unsent_.clear();  // it is gone, which shows elsewhere
        unsent_.erase(0, static_cast<std::size_t>(n));
    }
}

void LineRunner::take_line(std::vector<RunnerWord>& words, const Chatter& chatter) {
    RunnerWord word = parse_word(line_, id_);
    if (std::holds_alternative<Ready>(word) && stage() != Stage::loading) word = worker::Chatter{};
    if (std::holds_alternative<worker::Chatter>(word)) chatter(line_ + "\n", false);
    if (std::holds_alternative<Ready>(word)) enter(Stage::idle);
    const bool answers = std::holds_alternative<Output>(word) || std::holds_alternative<Failure>(word);
    if (answers && stage() == Stage::busy) {
        enter(Stage::idle);
        id_.clear();
    }
    words.push_back(std::move(word));
    line_.clear();
}

std::vector<RunnerWord> LineRunner::hear(Instant, const Chatter& chatter) {
    write();
    std::vector<RunnerWord> words;
    read_out([&](std::string_view bytes) {
        for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
            line_ += bytes.substr(0, end);
            if (!std::exchange(flooded_, false)) take_line(words, chatter);
            line_.clear();
        }
        line_ += bytes;
        if (line_.size() <= kLongestLine) return;
        if (!flooded_) words.emplace_back(Failure{"the runner wrote a line of more than 8 MB"});
        flooded_ = true;
        line_.clear();
    });
    read_err(chatter);
    return words;
}

}  // namespace sy::worker
