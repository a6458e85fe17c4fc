// A task that is long and leaves nobody a core runs once: its worker renews the lease, not the task (R7).
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

TEST(LongTask, ThatSpinsOnEveryCoreForSeveralLeasesIsStartedOnce) {
    const Service service(2, {"--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds", "5",
                              "--stop-grace-seconds", "0"});  // a lease of two seconds
    const unsigned spinners = 4 * std::thread::hardware_concurrency();
    const std::uint64_t task = service.submit(fmt::format(
        "for i in $(seq {}); do timeout 30 sh -c \"while :; do :; done\" & done; sleep 4.5; echo done", spinners));
    const Json done = service.wait_until(task, "succeeded");
    EXPECT_EQ(done["state"], "succeeded") << service.file("serve.log");
    EXPECT_EQ(done["attempts"].size(), 1U);
    EXPECT_EQ(service.file("serve.log").find("lost"), std::string::npos) << service.file("serve.log");
}

}  // namespace
}  // namespace sy::service_test
