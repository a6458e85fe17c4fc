#include "service/chaos.h"

#include <map>
#include <set>

#include "base/random.h"
#include "service/process/marked.h"
#include "service/wire/messages.h"

namespace sy::service_test {

namespace {

/// Tells on itself if another attempt of the same task is alive, or another task on the same worker's GPU.
std::string task_script(const std::string& folder) {
    return fmt::format(
        "exec 9>{0}/held.$SWITCHYARD_TASK; flock -n 9 || echo task $SWITCHYARD_TASK runs twice at a time >> {0}/bad; "
        "words=$(tr '\\0' ' ' < /proc/$PPID/cmdline); gpu=${{words#*--gpu }}; "
        "if [ \"$gpu\" != \"$words\" ]; then exec 8>{0}/gpu.${{gpu%% *}}; "
        "flock -n 8 || echo task $SWITCHYARD_TASK is not alone on gpu${{gpu%% *}} >> {0}/bad; fi; "
        "echo $SWITCHYARD_TASK >> {0}/begun; sleep 0.02; echo $SWITCHYARD_TASK >> {0}/done",
        folder);
}

/// One that a worker has started; -1 where it has none.
pid_t child_of(pid_t worker) {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", worker));
    pid_t child = -1;
    file >> child;
    return file ? child : -1;
}

class Storm {
public:
    Storm(Service& service, const ChaosWish& wish) : service_(service), random_(wish.seed), kills_(wish.kills) {}

    ChaosReport run() {
        const std::string script = task_script(service_.folder());
        while (report_.servers + report_.workers + report_.tasks < kills_) {
            for (std::uint64_t burst = random_.below(12); burst > 0; --burst) hand_in(script);
            std::this_thread::sleep_for(std::chrono::milliseconds(random_.below(40)));
            strike();
        }
        report_.answered = answered_.size() + once_.size();
        check_ends();
        check_once();
        check_what_ran();
        check_rest();
        return report_;
    }

private:
    /// One in four may run once at most.
    void hand_in(const std::string& script) {
        const bool once = random_.below(4) == 0;
        const std::uint64_t id = service_.submit(script, once ? Json{{"at_most_once", true}} : Json{{"retries", 20}});
        if (id != 0) (once ? once_ : answered_).push_back(id);
    }

    void complain(const std::string& what) { report_.complaints += what + "\n"; }

    void strike() {
        const std::uint64_t lot = random_.below(10);
        if (lot < 4) {
            service_.kill_server(SIGKILL);
            service_.start();
            ++report_.servers;
            return;
        }
        const pid_t worker = service_.worker(static_cast<unsigned>(random_.below(service_.gpus())));
        if (worker <= 0) return;
        if (lot < 8) {
            ::kill(worker, SIGKILL);
            ++report_.workers;
        } else if (const pid_t child = child_of(worker); child > 0) {
            ::kill(child, SIGKILL);
            ++report_.tasks;
        }
    }

    void check_ends() {
        for (const std::uint64_t id : answered_) {
            const Json task = service_.wait_until(id, "succeeded", std::chrono::seconds(60));
            if (task.is_object() && task.value("state", "") == "succeeded") continue;
            return complain(fmt::format("task {} was answered and did not succeed: {}", id, task.dump(2)));
        }
    }

    /// Well, or not at all, or lost; but never begun a second time (R6).
    void check_once() {
        for (const std::uint64_t id : once_) {
            const auto has_ended = [](const Json& task) {
                return task.is_object() && task["state"] != "queued" && task["state"] != "running";
            };
            for (int looks = 0; looks < 2000 && !has_ended(service_.task(id)); ++looks)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            if (!has_ended(service_.task(id))) return complain(fmt::format("task {} does not end", id));
            report_.given_up += service_.task(id)["state"] == "succeeded" ? 0U : 1U;
        }
        std::map<std::uint64_t, int> begun;
        std::stringstream list(service_.file("begun"));
        for (std::uint64_t id = 0; list >> id;) ++begun[id];
        for (const std::uint64_t id : once_)
            if (begun[id] > 1)
                complain(fmt::format("task {} was to run once at most and began {} times", id, begun[id]));
    }

    void check_what_ran() {
        std::stringstream bad(service_.file("bad"));
        for (std::string line; std::getline(bad, line);) complain(line);
        std::set<std::uint64_t> done;
        std::stringstream list(service_.file("done"));
        for (std::uint64_t id = 0; list >> id;) done.insert(id);
        for (const std::uint64_t id : answered_)
            if (!done.contains(id)) complain(fmt::format("task {} counts as succeeded and never ran to its end", id));
    }

    void check_rest() {
        const Json queue = service_.get("/api/v1/queue");
        if (queue["queued"] != 0 || queue["held"] != 0 || queue["running"] != 0)
            complain("something is stuck: " + queue.dump());
        const Json gpus = service_.get("/api/v1/gpus");
        for (const Json& gpu : gpus["gpus"])
            if (!gpu["task"].is_null()) complain("a GPU is held for nobody: " + gpu.dump());
        for (unsigned gpu = 0; gpu < service_.gpus(); ++gpu)
            if (!process::find_marked({wire::kPlaceMark, fmt::format("{}#{}", service_.folder(), gpu)}).empty())
                complain(fmt::format("something of gpu{} is left over", gpu));
        check_books();
    }

    /// Every task has one end: as many ends were counted as tasks were ever taken, those whose answer was lost
    /// included.
    void check_books() {
        std::uint64_t known = 0;
        for (std::uint64_t before = 0;;) {
            const Json page = service_.get(before == 0 ? "/api/v1/tasks?limit=1000"
                                                       : fmt::format("/api/v1/tasks?limit=1000&before={}", before));
            if (!page.is_object() || page["tasks"].empty()) break;
            known += page["tasks"].size();
            before = page["tasks"].back()["id"];
        }
        const auto metrics = service_.ask("GET", "/metrics");
        std::uint64_t ended = 0;
        std::stringstream lines(metrics ? metrics->body : "");
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("switchyard_tasks_ended_total{")) ended += std::stoull(line.substr(line.rfind(' ')));
        if (known != ended) complain(fmt::format("{} tasks, but {} ends were counted", known, ended));
    }

    Service& service_;
    Random random_;
    int kills_;
    std::vector<std::uint64_t> answered_;
    std::vector<std::uint64_t> once_;  ///< Answered too, and not to be tried again.
    ChaosReport report_;
};

}  // namespace

ChaosReport run_chaos(Service& service, const ChaosWish& wish) {
    return Storm(service, wish).run();
}

}  // namespace sy::service_test
