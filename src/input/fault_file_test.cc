#include "input/fault_file.h"

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Result<OutagePlan> read(const std::string& text) {
    return parse_faults(*parse_document(text, "faults.yaml"), 4);
}

TEST(FaultFile, NamesOutagesAndDrawsFurtherOnes) {
    const auto plan = read(R"(
outages:
  - {node: 3, at_s: 600, for_s: 0.5}
  - {node: 0, at_s: 0}
random: {seed: 7, mean_up_s: 86400, mean_down_s: 600}
)");
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->certain,
              (std::vector<Outage>{{NodeId(3), kStart + 600s, kStart + 600s + 500ms}, {NodeId(0), kStart, kNever}}));
    EXPECT_EQ(plan->mishaps, (Mishaps{7, 86400s, 600s}));
}

TEST(FaultFile, SaysWhatIsWrongAndWhere) {
    const auto wrong = [](const std::string& text) { return read(text).error().message; };
    EXPECT_EQ(wrong("outages:\n  - {node: 4, at_s: 0}"),
              "faults.yaml:2:12: node of this entry of outages is '4', it must be a whole number from 0 to 3");
    EXPECT_EQ(wrong("outages:\n  - {node: 1, at_s: 0, for_s: 0}"),
              "faults.yaml:2:31: for_s of this entry of outages is '0', it must be seconds, above 0 and at most "
              "3153600000");
    EXPECT_EQ(wrong("{}"), "faults.yaml:1:1: the fault file says nothing");
    EXPECT_FALSE(read("random: {mean_up_s: 10}"));
    EXPECT_FALSE(read("outages: [{node: 1, at_s: -1}]"));
    EXPECT_FALSE(read("outages: {node: 1}"));
    EXPECT_FALSE(read("faults: []"));
}

}  // namespace
}  // namespace sy::input
