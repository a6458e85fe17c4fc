#include "service/takeover_storm.h"

#include <atomic>
#include <map>
#include <mutex>

#include "base/random.h"

namespace sy::service_test {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Tells on itself if another attempt of the same task is alive.
std::string task_script(const std::string& folder, const char* seconds) {
    return fmt::format(
        "exec 9>{0}/held.$SWITCHYARD_TASK; flock -n 9 || echo task $SWITCHYARD_TASK runs twice at a time >> {0}/bad; "
        "sleep {1}; echo $SWITCHYARD_TASK >> {0}/done",
        folder, seconds);
}

class Storm {
public:
    Storm(Contenders& servers, RedisServer& redis, const TakeoverStormWish& wish)
        : servers_(servers), redis_(redis), random_(wish.seed), strikes_(wish.strikes) {}

    TakeoverReport run() {
        std::thread client([this] { hand_in(); });
        for (int i = 0; i < strikes_; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(700)));
            strike();
        }
        over_ = true;
        client.join();
        report_.answered = tasks_.size();
        check_ends();
        check_what_ran();
        check_books();
        return report_;
    }

private:
    void complain(const std::string& what) {
        const std::lock_guard lock(mutex_);
        report_.complaints += what + "\n";
    }

    /// Every key until it is answered, and some of them once more.
    void hand_in() {
        for (int i = 0; !over_; ++i) {
            const std::string key = fmt::format("order {}", i);
            const std::string script = task_script(servers_.folder(), i % 25 == 0 ? "2" : "0.01");
            const std::uint64_t task = servers_.submit(key, script);
            if (task == 0) return complain(key + " was not taken within 30 s");
            if (i % 7 == 0 && servers_.submit(key, script) != task) complain(key + " was taken twice");
            if (!tasks_.emplace(task, key).second) complain(fmt::format("task {} stands for two orders", task));
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
        }
    }

    void strike() {
        const int leads = servers_.wait_for_leader();
        if (leads < 0) return complain("nobody leads");
        const auto leader = static_cast<unsigned>(leads);
        const std::uint64_t lot = random_.below(10);
        if (lot < 5) {
            servers_.signal(leader, SIGKILL);
            report_.takeovers.push_back(until_somebody_answers());
            servers_.wait_for(leader);
            ++report_.killed;
        } else if (lot < 8) {
            servers_.signal(leader, SIGSTOP);
            report_.takeovers.push_back(until_somebody_answers());
            servers_.signal(leader, SIGCONT);
            const int status = servers_.wait_for(leader);
            if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
                complain(fmt::format("server {} slept through its lease and did not end with an error", leader));
            ++report_.stopped;
        } else {
            redis_.kill();
            const auto start = Clock::now();
            std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(300)));
            redis_.start();
            until_somebody_answers();
            report_.restarts.push_back(seconds_since(start));
            ++report_.redis_restarts;
        }
        start_those_that_ended();
    }

    double until_somebody_answers() {
        const auto start = Clock::now();
        const std::uint64_t task = servers_.submit(fmt::format("strike {}", ++orders_), "true");
        if (task == 0) complain("nobody takes anything within 30 s");
        return seconds_since(start);
    }

    /// As their supervisors would.
    void start_those_that_ended() {
        for (unsigned i = 0; servers_.is_there(i); ++i)
            if (!servers_.is_up(i) || servers_.wait_for(i, std::chrono::seconds(0)) != -1) servers_.start(i);
    }

    void check_ends() {
        for (const auto& [id, key] : tasks_) {
            const Json task = servers_.wait_until(id, "succeeded");
            if (!task.is_object() || task.value("state", "") != "succeeded")
                return complain(
                    fmt::format("{}, task {}, was answered and did not succeed: {}", key, id, task.dump(2)));
            if (task["attempts"].size() != 1)
                complain(fmt::format("task {} was interrupted: {}", id, task["attempts"].dump()));
        }
    }

    void check_what_ran() {
        std::stringstream bad(servers_.file("bad"));
        for (std::string line; std::getline(bad, line);) complain(line);
        std::map<std::uint64_t, int> done;
        std::stringstream list(servers_.file("done"));
        for (std::uint64_t id = 0; list >> id;) ++done[id];
        for (const auto& [id, key] : tasks_)
            if (done[id] != 1) complain(fmt::format("task {} ran to its end {} times", id, done[id]));
    }

    /// Every task has one end, those whose answer nobody heard included.
    void check_books() {
        const auto is_done = [](const Json& queue) {
            return queue.is_object() && queue["queued"] == 0 && queue["held"] == 0 && queue["running"] == 0;
        };
        for (const auto start = Clock::now(); !is_done(servers_.get("/api/v1/queue")) && seconds_since(start) < 30;)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::uint64_t known = 0;
        for (std::uint64_t before = std::uint64_t{1} << 40U;;) {
            const Json page = servers_.get(fmt::format("/api/v1/tasks?limit=1000&before={}", before));
            if (!page.is_object() || page["tasks"].empty()) break;
            known += page["tasks"].size();
            before = page["tasks"].back()["id"];
        }
        const auto metrics = servers_.ask("GET", "/metrics");
        std::uint64_t ended = 0;
        std::stringstream lines(metrics ? metrics->body : "");
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("switchyard_tasks_ended_total{")) ended += std::stoull(line.substr(line.rfind(' ')));
        if (known != ended) complain(fmt::format("{} tasks, but {} ends were counted", known, ended));
        const Json queue = servers_.get("/api/v1/queue");
        if (!is_done(queue)) complain("something is stuck: " + queue.dump());
    }

    Contenders& servers_;
    RedisServer& redis_;
    Random random_;
    int strikes_;
    int orders_ = 0;
    std::atomic<bool> over_ = false;
    std::map<std::uint64_t, std::string> tasks_;  ///< The client's, until it has ended.
    std::mutex mutex_;
    TakeoverReport report_;
};

}  // namespace

TakeoverReport run_takeover_storm(Contenders& servers, RedisServer& redis, const TakeoverStormWish& wish) {
    return Storm(servers, redis, wish).run();
}

}  // namespace sy::service_test
