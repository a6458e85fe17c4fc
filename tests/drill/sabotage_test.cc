// The drill's own test: with a bug planted it must fail. This binary alone is compiled with SWITCHYARD_SABOTAGE.
#include "base/sabotage.h"

#include <optional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "sim/drill.h"

namespace sy {

void PrintTo(Bug bug, std::ostream* out) {
    *out << "bug " << static_cast<int>(bug);
}

namespace {

constexpr std::uint64_t kMostSeeds = 1000;

/// The first storm that brings the planted bug to light.
std::optional<sim::DrillReport> hunt(Bug bug) {
    planted_bug = bug;
    std::optional<sim::DrillReport> caught;
    for (std::uint64_t seed = 1; seed <= kMostSeeds && !caught; ++seed) {
        auto report = sim::run_drill({.seed = seed, .adjust = {}, .tell = {}});
        if (!report.passed()) caught = std::move(report);
    }
    planted_bug = Bug::none;
    return caught;
}

class PlantedBug : public testing::TestWithParam<Bug> {};

TEST_P(PlantedBug, IsCaught) {
    const auto caught = hunt(GetParam());
    ASSERT_TRUE(caught.has_value()) << "no storm of " << kMostSeeds << " brought it to light";
    RecordProperty("violation", caught->violations.front());
}

INSTANTIATE_TEST_SUITE_P(Every, PlantedBug,
                         testing::Values(Bug::late_report_accepted, Bug::effects_before_sync, Bug::lease_ignored,
                                         Bug::old_start_obeyed, Bug::retry_forgotten, Bug::room_not_awaited,
                                         Bug::wake_up_lost));

TEST(PlantedBug, WithoutOneTheSameStormsPass) {
    planted_bug = Bug::none;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        EXPECT_TRUE(sim::run_drill({.seed = seed, .adjust = {}, .tell = {}}).passed()) << "seed " << seed;
}

}  // namespace
}  // namespace sy
