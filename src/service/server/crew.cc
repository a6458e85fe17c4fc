#include "service/server/crew.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/process/children.h"

namespace sy::server {

namespace {

constexpr Duration kLongestPause = 30s;
/// Whoever lived this long was no failure to start.
constexpr Duration kLongLife = 10s;
constexpr Duration kBetweenLooks = 500ms;
constexpr Duration kBetweenKills = 2ms;

std::string lock_path(const std::string& folder, std::uint32_t gpu) {
    return fmt::format("{}/worker-{}.lock", folder, gpu);
}

/// Whether a worker, ours or of an earlier life, holds the lock.
bool is_at_work(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool held = ::flock(file, LOCK_EX | LOCK_NB) != 0;
    ::close(file);
    return held;
}

pid_t pid_in(const std::string& path) {
    pid_t pid = -1;
    std::ifstream(path) >> pid;
    return pid;
}

/// Of those that are held.
std::vector<std::string> locks_in(const std::string& folder) {
    std::vector<std::string> held;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("worker-") && name.ends_with(".lock") && is_at_work(entry.path().string()))
            held.push_back(entry.path().string());
    }
    return held;
}

}  // namespace

Crew::Crew(loop::Loop& loop, Options options, std::function<void(const std::string&)> say,
           std::function<void(GpuId)> gone)
    : loop_(loop),
      options_(std::move(options)),
      say_(std::move(say)),
      gone_(std::move(gone)),
      hands_(options_.gpus.count) {
    look_at_all();
    kill_the_silent();
}

void Crew::look_at_all() {
    for (std::uint32_t gpu = 0; gpu < options_.gpus.count; ++gpu)
        if (is_spared(gpu)) {
            send_away(gpu);
        } else {
            look(gpu);
        }
}

void Crew::change(Options options) {
    const bool waits = next_.has_value();
    next_ = std::move(options);
    dismiss();
    if (!waits) change_once_all_are_gone();
}

void Crew::change_once_all_are_gone() {
    if (!all_gone()) {
        loop_.at(loop::Loop::now() + kBetweenLooks / 10, [this] { change_once_all_are_gone(); });
        return;
    }
    options_ = std::move(*std::exchange(next_, std::nullopt));
    dismissed_ = false;
    look_at_all();
}

bool Crew::any_at_work(const std::string& folder) {
    return !locks_in(folder).empty();
}

std::vector<pid_t> Crew::others_at_work(const std::string& folder, const GpuSpan& gpus) {
    std::set<std::string> known;
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) known.insert(lock_path(folder, gpu.value()));
    std::vector<pid_t> others;
    for (const std::string& lock : locks_in(folder))
        if (!known.contains(lock)) others.push_back(pid_in(lock));
    return others;
}

std::string Crew::lock_of(std::uint32_t hand) const {
    return lock_path(options_.folder, number_of(hand));
}

bool Crew::all_gone() const {
    for (std::uint32_t hand = 0; hand < hands_.size(); ++hand)
        if (hands_[hand].pid > 0 || is_at_work(lock_of(hand))) return false;
    return true;
}

Crew::~Crew() {
    for (Hand& hand : hands_) {
        if (hand.pidfd < 0) continue;
        loop_.forget(hand.pidfd);
        ::close(hand.pidfd);
    }
}

/// One of an earlier life is left at work; when it ends, its place is taken.
void Crew::look(std::uint32_t gpu) {
    if (dismissed_ || hands_[gpu].pid > 0) return;
    if (!is_at_work(lock_of(gpu))) return start(gpu);
    loop_.at(loop::Loop::now() + kBetweenLooks, [this, gpu] { look(gpu); });
}

std::vector<std::string> Crew::words_for(std::uint32_t gpu) const {
    const auto seconds = [](Duration d) { return fmt::format("{}", to_seconds(d)); };
    std::vector<std::string> words{options_.program,
                                   "worker",
                                   "--folder",
                                   options_.folder,
                                   "--gpu",
                                   std::to_string(number_of(gpu)),
                                   "--heartbeat-interval",
                                   seconds(options_.timing.heartbeat_interval),
                                   "--heartbeat-timeout",
                                   seconds(options_.timing.heartbeat_timeout),
                                   "--stop-grace",
                                   seconds(options_.timing.stop_grace),
                                   "--max-log-bytes",
                                   std::to_string(options_.most_log_bytes)};
    if (gpu < options_.visible.size() && !options_.visible[gpu].empty())
        words.insert(words.end(), {"--visible", options_.visible[gpu]});
    return words;
}

void Crew::start(std::uint32_t gpu) {
    Hand& hand = hands_[gpu];
    std::vector<std::string> words = words_for(gpu);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setsid();  // what is typed at the server's terminal is not meant for tasks
        sigset_t none;
        sigemptyset(&none);
        ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    if (pid < 0) {
        say_(fmt::format("the worker of gpu{} cannot be started: error {}", number_of(gpu), errno));
        loop_.at(loop::Loop::now() + hand.pause, [this, gpu] { look(gpu); });
        return;
    }
    hand.pid = pid;
    hand.started = loop::Loop::now();
    hand.pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    loop_.watch(hand.pidfd, EPOLLIN, [this, gpu](std::uint32_t) { ended(gpu); });
}

void Crew::ended(std::uint32_t gpu) {
    Hand& hand = hands_[gpu];
    loop_.forget(hand.pidfd);
    ::close(std::exchange(hand.pidfd, -1));
    int status = 0;
    ::waitpid(std::exchange(hand.pid, -1), &status, 0);
    say_(fmt::format("the worker of gpu{} ended ({} {})", number_of(gpu), WIFSIGNALED(status) ? "signal" : "exit code",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    clear_up(gpu);
}

/// The GPU is not given again before all that ran there is gone (R9). A driver may hold a process for long that was
/// killed; the loop does not wait for it.
void Crew::clear_up(std::uint32_t gpu) {
    if (!orphans_are_gone()) {
        loop_.at(loop::Loop::now() + kBetweenKills, [this, gpu] { clear_up(gpu); });
        return;
    }
    gone_(GpuId(number_of(gpu)));
    if (dismissed_) return;
    Hand& hand = hands_[gpu];
    if (loop::Loop::now() - hand.started > kLongLife) hand.pause = kFirstPause;
    loop_.at(loop::Loop::now() + hand.pause, [this, gpu] { look(gpu); });
    hand.pause = std::min(hand.pause * 2, kLongestPause);
}

/// Kills what workers' tasks started and did not take with them: our children that are no workers.
bool Crew::orphans_are_gone() const {
    for (;;) {
        bool collected = false;
        bool left = false;
        for (const pid_t child : process::children()) {
            if (spared_.contains(child)) continue;
            if (std::any_of(hands_.begin(), hands_.end(), [&](const Hand& hand) { return hand.pid == child; }))
                continue;
            ::kill(child, SIGKILL);
            const bool gone = ::waitpid(child, nullptr, WNOHANG) == child;
            collected = collected || gone;
            left = left || !gone;
        }
        if (!collected) return !left;  // otherwise look again: its own children have come to us
    }
}

/// A worker ends its task by itself when its lease is over, and has killed it after the grace. Who has not even spoken
/// by then cannot. What its death leaves of the time until it is given up is the margin for all of it to go.
void Crew::kill_the_silent() {
    const Instant now = loop::Loop::now();
    loop_.at(now + kBetweenLooks, [this] { kill_the_silent(); });
    for (std::uint32_t gpu = 0; gpu < hands_.size(); ++gpu) {
        Hand& hand = hands_[gpu];
        const Instant since = std::max({options_.heard(GpuId(number_of(gpu))), hand.started, hand.struck});
        if (now < later(since, options_.timing.lease() + options_.timing.stop_grace)) continue;
        const pid_t pid = at_work(gpu);
        if (pid <= 0) continue;
        hand.struck = now;
        say_(
            fmt::format("the worker of gpu{} has said nothing for longer than its lease: it is killed, and what it ran",
                        number_of(gpu)));
        ::kill(pid, SIGKILL);
    }
}

/// Ours, or one of an earlier life; -1: none.
pid_t Crew::at_work(std::uint32_t gpu) const {
    if (hands_[gpu].pid > 0) return hands_[gpu].pid;
    const std::string path = lock_of(gpu);
    return is_at_work(path) ? pid_in(path) : -1;
}

void Crew::send_away(std::uint32_t gpu) {
    if (const pid_t pid = at_work(gpu); pid > 0) ::kill(pid, SIGTERM);
}

void Crew::dismiss() {
    dismissed_ = true;
    for (std::uint32_t gpu = 0; gpu < hands_.size(); ++gpu) send_away(gpu);
}

}  // namespace sy::server
