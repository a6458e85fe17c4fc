#include "output/packed.h"

#include <gtest/gtest.h>

namespace sy::output {
namespace {

Instant at(Duration d) {
    return kStart + d;
}

TEST(Tick, MeasuresEveryTime) {
    Plan plan;
    EXPECT_EQ(tick_of(plan), 1s);
    plan.jobs = {{0, {GpuId(0), 1}, std::nullopt, at(0s), at(1500ms)},
                 {1, {GpuId(0), 1}, SwitchTimes{at(1500ms), at(4s)}, at(4s), at(6s)}};
    EXPECT_EQ(tick_of(plan), 500ms);
    plan.jobs.push_back({2, {GpuId(1), 1}, std::nullopt, at(0s), at(1ns)});
    EXPECT_EQ(tick_of(plan), 1ns);
}

TEST(Packed, SaysJobIdleLoadAndLengthForEachNode) {
    Plan plan;
    plan.jobs = {{3, {GpuId(1), 1}, std::nullopt, at(2s), at(3s)},
                 {1, {GpuId(1), 1}, SwitchTimes{at(4s), at(204s)}, at(205s), at(210s)}};
    const std::string bytes{0,                       // nothing on the first GPU
                            2,                       // two nodes on the second
                            6, 4, 1,                 // job 3, two seconds idle, one second
                            3, 3, '\xc8', 1, 1, 5};  // job 1, idle 1, loads 200, waits 1, runs 5
    EXPECT_EQ(packed_times(plan, 2, 1s), base64(bytes));
}

TEST(Base64, IsTheOneBrowsersRead) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace sy::output
