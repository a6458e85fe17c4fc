#include "service/device/nvml.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace sy::device {
namespace {

TEST(Nvml, ReadsEveryCardThroughTheRealLoadingPath) {
    const auto nvml = Nvml::open(FAKE_NVML);
    ASSERT_TRUE(nvml.has_value()) << nvml.error().message;
    EXPECT_EQ(nvml->driver_version().value(), "999.1");
    const auto gpus = nvml->read_gpus().value();
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[1].name, "Fake Card");
    EXPECT_EQ(gpus[1].memory_total, gigabytes(80));
    EXPECT_EQ(gpus[1].memory_used, gigabytes(1));
}

TEST(Nvml, SaysThatTheLibraryIsMissingAndWhatToDo) {
    const auto nvml = Nvml::open("libnobody-has-this.so.1");
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "libnobody-has-this.so.1 is not on this machine");
    EXPECT_NE(nvml.error().fix, "");
}

TEST(Nvml, RefusesALibraryThatLacksTheCalls) {
    const auto nvml = Nvml::open("libm.so.6");
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "libm.so.6 lacks calls we need");
}

TEST(Nvml, PassesOnWhyTheDriverDoesNotStart) {
    setenv("FAKE_NVML_BROKEN", "1", 1);  // NOLINT(concurrency-mt-unsafe): one thread
    const auto nvml = Nvml::open(FAKE_NVML);
    unsetenv("FAKE_NVML_BROKEN");  // NOLINT(concurrency-mt-unsafe): one thread
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "NVML cannot start: Driver Not Loaded");
}

}  // namespace
}  // namespace sy::device
