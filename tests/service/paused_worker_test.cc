// A worker that is paused for longer than its lease cannot end its task, which goes on: whoever keeps it ends both
// before the task runs elsewhere (R3).
#include <gtest/gtest.h>

#include "service/host.h"
#include "service/service.h"
#include "service/witness.h"

namespace sy::service_test {
namespace {

/// A lease of two seconds; four later a silent worker is given up.
std::vector<std::string> short_leases(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds", "6",
                             "--stop-grace-seconds", "1"});
    return more;
}

void expect_one_at_a_time(const Service& service, const Witness& witness, std::uint64_t task) {
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(done["attempts"].size(), 2U);
    EXPECT_TRUE(witness.saw_no_overlap());
}

TEST(PausedWorker, ItsTaskHasEndedBeforeItRunsElsewhere) {
    const Witness witness;
    const Service service(2, short_leases());
    const std::uint64_t task = service.submit(witness.script(20));
    ASSERT_TRUE(witness.saw_the_first());
    const pid_t worker = service.worker(service.task(task)["attempts"][0]["gpus"][0]);
    ASSERT_EQ(::kill(worker, SIGSTOP), 0);
    expect_one_at_a_time(service, witness, task);
}

TEST(PausedWorker, OfAnEarlierLifeOfTheServerItIsFoundOutToo) {
    const Witness witness;
    Service service(2, short_leases());
    const std::uint64_t task = service.submit(witness.script(20));
    ASSERT_TRUE(witness.saw_the_first());
    const pid_t worker = service.worker(service.task(task)["attempts"][0]["gpus"][0]);
    service.kill_server(SIGKILL);
    ASSERT_EQ(::kill(worker, SIGSTOP), 0);
    service.start();
    expect_one_at_a_time(service, witness, task);
}

TEST(PausedWorker, ItsHostFindsItOut) {
    const Witness witness;
    const Service service(0, short_leases({"--gpus", "none"}));
    const Host host(service.address(), "rack1", 2);
    const std::uint64_t task = service.submit(witness.script(20));
    ASSERT_TRUE(witness.saw_the_first()) << host.log();
    const auto gpu = service.task(task)["attempts"][0]["gpus"][0].get<unsigned>();
    ASSERT_EQ(::kill(worker_in(host.folder(), gpu), SIGSTOP), 0);
    expect_one_at_a_time(service, witness, task);
}

}  // namespace
}  // namespace sy::service_test
