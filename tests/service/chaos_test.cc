// The storm of chaos.h, thirty kills long; `make bench` has one of a thousand.
#include "service/chaos.h"

#include <random>

#include <gtest/gtest.h>

namespace sy::service_test {
namespace {

TEST(Chaos, NothingAnsweredIsLostAndNothingRunsTwiceAtATime) {
    Service service(3);
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE(seed);
    const ChaosReport report = run_chaos(service, {.kills = 30, .seed = seed});
    EXPECT_GT(report.answered, 50U);
    EXPECT_EQ(report.complaints, "") << service.file("serve.log");
}

}  // namespace
}  // namespace sy::service_test
