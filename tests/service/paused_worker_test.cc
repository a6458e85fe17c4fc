// A worker that is paused for longer than its lease cannot end its task, which goes on: whoever keeps it ends both
// before the task runs elsewhere (R3).
#include <gtest/gtest.h>

#include "service/host.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

/// A lease of two seconds; four later a silent worker is given up.
std::vector<std::string> short_leases(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds", "6",
                             "--stop-grace-seconds", "1"});
    return more;
}

/// Says when each attempt was last seen at work, and when it began. It takes no notice of being asked to end.
class Witness {
public:
    std::string script() const {
        return fmt::format(
            "trap '' TERM; f={}/$SWITCHYARD_ATTEMPT; date +%s%N > $f.first; "
            "n=$([ $SWITCHYARD_ATTEMPT = 1 ] && echo 400 || echo 1); "
            "(while [ $n -gt 0 ]; do date +%s%N > $f.last; sleep 0.05; n=$((n-1)); done); true",
            marks_.path());
    }
    bool saw_no_overlap() const { return time_in("1.last") > 0 && time_in("1.last") < time_in("2.first"); }
    bool saw_the_first() const {
        for (int looks = 0; looks < 2000 && time_in("1.last") == 0; ++looks)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return time_in("1.last") > 0;
    }

private:
    std::uint64_t time_in(const std::string& name) const {
        std::uint64_t time = 0;
        std::ifstream(marks_.path() + "/" + name) >> time;
        return time;
    }
    TestFolder marks_;
};

void expect_one_at_a_time(const Service& service, const Witness& witness, std::uint64_t task) {
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(done["attempts"].size(), 2U);
    EXPECT_TRUE(witness.saw_no_overlap());
}

TEST(PausedWorker, ItsTaskHasEndedBeforeItRunsElsewhere) {
    const Witness witness;
    const Service service(2, short_leases());
    const std::uint64_t task = service.submit(witness.script());
    ASSERT_TRUE(witness.saw_the_first());
    const pid_t worker = service.worker(service.task(task)["attempts"][0]["gpus"][0]);
    ASSERT_EQ(::kill(worker, SIGSTOP), 0);
    expect_one_at_a_time(service, witness, task);
}

TEST(PausedWorker, OfAnEarlierLifeOfTheServerItIsFoundOutToo) {
    const Witness witness;
    Service service(2, short_leases());
    const std::uint64_t task = service.submit(witness.script());
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
    const std::uint64_t task = service.submit(witness.script());
    ASSERT_TRUE(witness.saw_the_first()) << host.log();
    const auto gpu = service.task(task)["attempts"][0]["gpus"][0].get<unsigned>();
    ASSERT_EQ(::kill(worker_in(host.folder(), gpu), SIGSTOP), 0);
    expect_one_at_a_time(service, witness, task);
}

}  // namespace
}  // namespace sy::service_test
