// Servers and workers are killed at random while clients hand in tasks. Whatever was answered must end, exactly once in
// the books, and no two attempts of a task may ever live at the same time (R1 to R4).
#include <map>
#include <random>

#include "base/random.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

constexpr unsigned kGpus = 3;
constexpr int kKills = 30;

/// Tells on itself if another attempt of the same task is alive.
std::string task_script(const std::string& folder) {
    return fmt::format(
        "exec 9>{0}/held.$SWITCHYARD_TASK; flock -n 9 || echo overlap $SWITCHYARD_TASK >> {0}/bad; sleep 0.02; "
        "echo $SWITCHYARD_TASK >> {0}/done",
        folder);
}

TEST(Chaos, NothingAnsweredIsLostAndNothingRunsTwiceAtATime) {
    Service service(kGpus);
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::string script = task_script(service.folder());
    std::vector<std::uint64_t> answered;
    for (int kills = 0; kills < kKills;) {
        for (std::uint64_t burst = random.below(12); burst > 0; --burst)
            if (const std::uint64_t id = service.submit(script)) answered.push_back(id);
        std::this_thread::sleep_for(std::chrono::milliseconds(random.below(40)));
        if (random.chance(0.5)) {
            service.kill_server(SIGKILL);
            service.start();
            ++kills;
        } else if (const pid_t worker = service.worker(static_cast<unsigned>(random.below(kGpus))); worker > 0) {
            ::kill(worker, SIGKILL);
            ++kills;
        }
    }
    EXPECT_GT(answered.size(), 50U);
    for (const std::uint64_t id : answered) {
        const Json task = service.wait_until(id, "succeeded", std::chrono::seconds(60));
        ASSERT_EQ(task["state"], "succeeded") << task.dump(2) << service.file("serve.log");
    }
    EXPECT_EQ(service.file("bad"), "");
    std::map<std::uint64_t, int> done;
    std::stringstream list(service.file("done"));
    for (std::uint64_t id = 0; list >> id;) ++done[id];
    for (const std::uint64_t id : answered) EXPECT_GE(done[id], 1) << "task " << id;
    const Json queue = service.get("/api/v1/queue");
    EXPECT_EQ(queue["queued"], 0);
    EXPECT_EQ(queue["running"], 0);
    const Json gpus = service.get("/api/v1/gpus");
    for (const Json& gpu : gpus["gpus"]) EXPECT_EQ(gpu["task"], nullptr);
}

}  // namespace
}  // namespace sy::service_test
