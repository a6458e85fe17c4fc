// Somebody sets the machine's clock while leases, delays, timeouts and pauses run: nothing happens (R10).
#include <gtest/gtest.h>

#include "service/preloaded.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

using Clock = std::chrono::steady_clock;

/// The time of day of the service and its workers.
class JumpingClock {
public:
    JumpingClock() { set(0); }
    void set(std::int64_t seconds) const {
        const int file = ::open(path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ASSERT_EQ(::pwrite(file, &seconds, sizeof seconds, 0), static_cast<ssize_t>(sizeof seconds));
        ::close(file);
    }
    std::string path() const { return folder_.path() + "/offset"; }

private:
    TestFolder folder_;
};

double seconds_since(Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
}

constexpr std::int64_t kDay = 86'400;

TEST(ClockJump, LeasesDelaysTimeoutsAndPausesGoOnAsIfNothingHadHappened) {
    const JumpingClock clock;
    Service service(4, Service::Later{});
    {
        const Preloaded jumping(JUMPING_CLOCK, {{"JUMPING_CLOCK", clock.path()}});
        service.start_with({"--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds", "6",
                            "--stop-grace-seconds", "1"});
    }
    const auto begun = Clock::now();
    const std::uint64_t runs = service.submit("sleep 4");
    const std::uint64_t hangs = service.submit("sleep 1000", {{"timeout_s", 3}});
    const std::uint64_t waits = service.submit("true", {{"delay_s", 3}});
    const std::uint64_t fails = service.submit("test $SWITCHYARD_ATTEMPT = 3", {{"retries", 2}});  // pauses: 1 s, 2 s
    ASSERT_EQ(service.wait_until(runs, "running")["state"], "running") << service.file("serve.log");
    const std::string before = service.task(runs)["submitted"];
    for (const std::int64_t days : {1, -1, 1, 0, -1}) {
        clock.set(days * kDay);
        std::this_thread::sleep_for(std::chrono::milliseconds(450));
        EXPECT_EQ(service.task(runs)["state"], "running");
        EXPECT_EQ(service.task(hangs)["state"], "running");
        EXPECT_EQ(service.task(waits)["state"], "delayed");
    }
    EXPECT_LT(service.task(service.submit("true"))["submitted"].get<std::string>(), before)
        << "or the clock did not jump";
    EXPECT_EQ(service.wait_until(waits, "succeeded")["state"], "succeeded");
    EXPECT_GE(seconds_since(begun), 3.0);
    EXPECT_EQ(service.wait_until(hangs, "timed_out")["state"], "timed_out");
    EXPECT_EQ(service.wait_until(fails, "succeeded")["attempts"].size(), 3U);
    const Json done = service.wait_until(runs, "succeeded");
    EXPECT_LT(seconds_since(begun), 8.0) << "nobody waited for the clock to come back";
    EXPECT_EQ(done["attempts"].size(), 1U) << "no lease was lost";
    EXPECT_EQ(service.file("serve.log").find("lost"), std::string::npos) << service.file("serve.log");
}

}  // namespace
}  // namespace sy::service_test
