#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/codec.h"
#include "base/digest.h"
#include "core/control/core.h"

namespace sy::control {
namespace {

/// A brain with something of everything: running, stopping, waiting, a lost worker.
Core busy_core() {
    Core core{Settings{}};
    Instant now = kStart;
    core.step(AddNode{std::vector(4, GpuSpec{gigabytes(80)})}, now);
    for (std::uint32_t i = 0; i < 3; ++i) core.step(Hello{GpuId(i), {i + 1, 1}}, now);
    for (int i = 0; i < 6; ++i) core.step(SubmitTask{RequestId(1), {.demand = {i == 1 ? 2U : 1U, gigabytes(10)}}}, now);
    core.step(CancelTask{RequestId(2), TaskId(2)}, now);
    return core;
}

/// Bytes with a digest that fits them, so that only the contents can be wrong.
std::string sealed(std::string state) {
    std::uint64_t digest = digest_of(state);
    for (int i = 0; i < 8; ++i, digest >>= 8) state.push_back(static_cast<char>(digest & 0xff));
    return state;
}

TEST(Snapshot, RestoresToTheSameBytes) {
    const std::string bytes = busy_core().snapshot();
    const auto restored = Core::restore(bytes, {});
    ASSERT_TRUE(restored.has_value());
    EXPECT_EQ(restored->snapshot(), bytes);
    EXPECT_EQ(restored->waiting_count(), busy_core().waiting_count());
}

TEST(Snapshot, RefusesEveryCut) {
    const std::string bytes = busy_core().snapshot();
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(Core::restore(bytes.substr(0, length), {}).has_value()) << length;
}

TEST(Snapshot, RefusesEveryFlippedBit) {
    const std::string bytes = busy_core().snapshot();
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
        std::string flipped = bytes;
        flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
        EXPECT_FALSE(Core::restore(flipped, {}).has_value()) << "bit " << i;
    }
}

TEST(Snapshot, SurvivesContentsThatLieUnderAGoodDigest) {
    const std::string bytes = busy_core().snapshot();
    const std::string state = bytes.substr(0, bytes.size() - 8);
    for (std::size_t i = 0; i < state.size() * 8; ++i) {
        std::string flipped = state;
        flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
        auto restored = Core::restore(sealed(flipped), {});
        if (!restored) continue;
        restored->step(Tick{}, kStart + 1h);  // whatever it is, it is a state that can go on
        restored->step(ServerStarted{}, kStart + 2h);
    }
}

TEST(Snapshot, SaysWhatIsWrong) {
    EXPECT_EQ(Core::restore("", {}).error().message, "snapshot is damaged: its digest does not match its contents");
    EXPECT_EQ(Core::restore(sealed("\x7f"), {}).error().message, "snapshot does not hold a state of this version");
}

TEST(Snapshot, ATaskThatCouldNeverHaveBeenAcceptedIsRefused) {
    const Demand asked{.gpus = 1, .memory = gigabytes(77)};
    const Demand nothing{.gpus = 0, .memory = gigabytes(77)};
    Core core{Settings{}};
    core.step(AddNode{{GpuSpec{gigabytes(80)}}}, kStart);
    core.step(SubmitTask{RequestId(1), {.demand = asked}}, kStart);
    std::string bytes = core.snapshot();
    bytes.resize(bytes.size() - 8);
    const std::size_t at = bytes.find(encode(asked));
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, encode(asked).size(), encode(nothing));
    EXPECT_FALSE(Core::restore(sealed(bytes), {}).has_value());
}

}  // namespace
}  // namespace sy::control
