#include "core/estimate/measured_layers.h"

#include <gtest/gtest.h>

#include "core/model/mesh.h"

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

TEST(MeasuredLayers, KnowsNodesAndPairs) {
    MeasuredLayers measured;
    measured.note_layer(3, 2ms, 5);
    measured.note_rtt(3, 1, 10ms, 1);
    measured.note_rtt(kClient, 3, 4ms, 1);
    EXPECT_EQ(measured.layer(3), 2ms);
    EXPECT_EQ(measured.layer(2), std::nullopt);
    EXPECT_EQ(measured.layer(4), std::nullopt);
    EXPECT_EQ(measured.rtt(1, 3), 10ms);
    EXPECT_EQ(measured.rtt(3, kClient), 4ms);
    EXPECT_EQ(measured.rtt(1, 2), std::nullopt);
    EXPECT_EQ(measured.pairs().size(), 2U);
}

TEST(MeasuredLayers, ANodeThatLeftIsForgottenWithAllItsPairs) {
    MeasuredLayers measured;
    measured.note_layer(3, 2ms, 5);
    measured.note_rtt(3, 1, 10ms, 1);
    measured.note_rtt(1, 2, 20ms, 1);
    measured.forget(3);
    measured.forget(99);
    EXPECT_EQ(measured.layer(3), std::nullopt);
    EXPECT_EQ(measured.rtt(1, 3), std::nullopt);
    EXPECT_EQ(measured.rtt(1, 2), 20ms);
}

TEST(MeasuredLayers, TimesBeforeTheirStartAreIgnored) {
    MeasuredLayers measured;
    measured.note_layer(0, -1ms, 1);
    measured.note_rtt(0, 1, -1ms, 1);
    EXPECT_EQ(measured.layer(0), std::nullopt);
    EXPECT_EQ(measured.rtt(0, 1), std::nullopt);
}

}  // namespace
}  // namespace sy::estimate
