// A worker is killed while its task runs: how long until the task's next attempt runs, as the task itself tells.
#include <chrono>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include "clock.h"
#include "service/load.h"
#include "service/round.h"

namespace sy::bench {

namespace {

/// A pipe with a name, on which tasks tell that they run.
class Bell {
public:
    explicit Bell(std::string path) : path_(std::move(path)) {
        ::mkfifo(path_.c_str(), 0600);
        file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    }
    ~Bell() { ::close(file_); }
    Bell(const Bell&) = delete;
    Bell& operator=(const Bell&) = delete;

    const std::string& path() const { return path_; }
    /// Whether it rang within ten seconds.
    bool wait() const {
        pollfd wait{file_, POLLIN, 0};
        char buffer[64];
        return ::poll(&wait, 1, 10'000) > 0 && ::read(file_, buffer, sizeof buffer) > 0;
    }

private:
    std::string path_;
    int file_ = -1;
};

/// The worker whose GPU has the task; -1 where none has.
pid_t worker_of(const Service& service, std::uint64_t task) {
    const Json gpus = service.get("/api/v1/gpus");
    for (const Json& gpu : gpus["gpus"])
        if (gpu["task"] == task) return service.worker(gpu["id"]);
    return -1;
}

/// Milliseconds; nothing where the task did not run again.
std::optional<double> kill_one(const Service& service, const Bell& bell) {
    const std::uint64_t task =
        service.submit(fmt::format("echo $SWITCHYARD_ATTEMPT > {}; exec sleep 60", bell.path()), {{"memory_mb", 100}});
    if (!bell.wait()) return std::nullopt;
    const pid_t worker = worker_of(service, task);
    if (worker <= 0) return std::nullopt;
    const Clock::time_point start = Clock::now();
    ::kill(worker, SIGKILL);
    if (!bell.wait()) return std::nullopt;
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    service.ask("DELETE", fmt::format("/api/v1/tasks/{}", task));
    service.wait_until(task, "cancelled");
    return ms;
}

}  // namespace

std::vector<Row> bench_dead_worker(Round& round) {
    const std::uint64_t kills = round.pace.draws(50);
    const std::string what = fmt::format("dead worker: its task runs elsewhere, p99 of {}", kills);
    Service& service = round.open();
    const Bell bell(service.folder() + "/bell");
    std::vector<double> times;
    for (std::uint64_t i = 0; i < kills; ++i) {
        const auto ms = kill_one(service, bell);
        if (!ms) return {no_figure(what, "a task did not run again", 200, Aim::at_most)};
        times.push_back(*ms);
    }
    return {{what, percentile(times, 0.99), "ms", 200, Aim::at_most},
            {"dead worker: its task runs elsewhere, p50", percentile(times, 0.5), "ms", std::nullopt, Aim::at_most}};
}

}  // namespace sy::bench
