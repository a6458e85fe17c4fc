#include "service/slurm/program.h"

#include <gtest/gtest.h>

namespace sy::slurm {
namespace {

TEST(Program, GivesWhatItPrints) {
    EXPECT_EQ(*run_program({"cat"}, "in and out\n", 10s), "in and out\n");
}

TEST(Program, SaysWhyItFailed) {
    const auto failed = run_program({"sh", "-c", "echo lost; echo so it is >&2; exit 3"}, "", 10s);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "sh failed: so it is");
}

TEST(Program, ThatIsNotThereIsAnError) {
    EXPECT_FALSE(run_program({"no-such-program-here"}, "", 10s));
}

TEST(Program, ThatDoesNotEndIsEnded) {
    const auto late = run_program({"sleep", "60"}, "", 50ms);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().message, "sleep did not answer within 0.05 s");
}

TEST(Program, MayPrintMuch) {
    const auto much = run_program({"sh", "-c", "head -c 1000000 /dev/zero"}, "", 10s);
    ASSERT_TRUE(much);
    EXPECT_EQ(much->size(), 1'000'000U);
}

}  // namespace
}  // namespace sy::slurm
