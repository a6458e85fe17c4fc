#include "service/device/kind.h"

#include <gtest/gtest.h>

namespace sy::device {
namespace {

TEST(Kind, IsTheCardWithoutMakerMemoryAndForm) {
    EXPECT_EQ(kind_of("NVIDIA H200"), "h200");
    EXPECT_EQ(kind_of("NVIDIA H100 80GB HBM3"), "h100");
    EXPECT_EQ(kind_of("NVIDIA A100-SXM4-40GB"), "a100");
    EXPECT_EQ(kind_of("Tesla V100-SXM2-16GB"), "v100");
    EXPECT_EQ(kind_of("NVIDIA L40S"), "l40s");
    EXPECT_EQ(kind_of("NVIDIA GeForce RTX 3090 Ti"), "rtx-3090-ti");
    EXPECT_EQ(kind_of("NVIDIA RTX 6000 Ada Generation"), "rtx-6000-ada");
}

TEST(Kind, OfANamelessCardIsGpu) {
    EXPECT_EQ(kind_of(""), "gpu");
    EXPECT_EQ(kind_of("NVIDIA"), "gpu");
}

}  // namespace
}  // namespace sy::device
