#include "service/pipelines/served.h"

#include <gtest/gtest.h>

namespace sy::pipelines {
namespace {

std::unique_ptr<Served> small() {
    const auto document = input::parse_document(
        R"({"name": "tiny", "model": {"name": "tiny", "layers": 4, "hidden": 64, "intermediate": 128, "heads": 4,
            "kv_heads": 4, "head_size": 16, "vocab": 100}, "scheduling": {"heartbeat_timeout_s": 2}})",
        "test");
    return *Served::make(*input::parse_pipeline(*document), 0, [](const std::string&) {});
}

constexpr const char* kNode = R"({"node": {"id": "a", "tflops": 1, "memory_gib": 8, "bandwidth_gb_s": 10}})";

TEST(Served, WhereNothingIsToComeItWantsNoFurtherTick) {
    const auto served = small();
    EXPECT_EQ(served->join(kNode, kStart).status, 200U);
    Instant now = kStart;
    for (int ticks = 0; served->due() != kNever; ++ticks) {
        ASSERT_LT(ticks, 20) << "it would have the loop turn without end";
        now = std::max(now, served->due());
        served->tick(now);
    }
    EXPECT_EQ(served->summary()["node_count"], 0) << "the silent node was given up on the way";
}

TEST(Served, ARequestWithoutAnAnswerIsAnsweredWhenThePipelineIsRemoved) {
    const auto served = small();
    served->join(kNode, kStart);
    std::optional<Answer> heard;
    served->route(Json::object(), kStart, [&](const Answer& answer) { heard = answer; });
    ASSERT_FALSE(heard.has_value()) << "its node has not loaded anything yet";
    served->close();
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->status, 503U);
}

}  // namespace
}  // namespace sy::pipelines
