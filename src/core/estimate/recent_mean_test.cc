#include "core/estimate/recent_mean.h"

#include <gtest/gtest.h>

namespace sy::estimate {
namespace {

TEST(RecentMean, IsThePlainMeanAtFirst) {
    RecentMean mean;
    EXPECT_EQ(mean.value(), std::nullopt);
    mean.add(10ms, 1);
    EXPECT_EQ(mean.value(), 10ms);
    mean.add(20ms, 1);
    EXPECT_EQ(mean.value(), 15ms);
    mean.add(45ms, 1);
    EXPECT_EQ(mean.value(), 25ms);
    mean.add(1h, 0);
    EXPECT_EQ(mean.value(), 25ms) << "no samples, no change";
}

TEST(RecentMean, ForgetsWhatIsLongPast) {
    RecentMean mean;
    mean.add(16ms, 1'000);
    mean.add(32ms, 1);
    EXPECT_EQ(mean.value(), 17ms) << "one part in sixteen";
    for (int i = 0; i < 400; ++i) mean.add(32ms, 1);
    EXPECT_EQ(mean.value(), 32ms - 7ns) << "a sixteenth of what is left rounds to nothing";
}

TEST(RecentMean, WeighsByTheNumberOfSamples) {
    RecentMean mean;
    mean.add(10ms, 1);
    mean.add(20ms, 9);
    EXPECT_EQ(mean.value(), 19ms);
    mean.add(0ms, 4'000'000'000U);
    EXPECT_LT(*mean.value(), 1us);
}

}  // namespace
}  // namespace sy::estimate
