#include "service/store/queue_score.h"

#include <array>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::store {
namespace {

constexpr std::array<std::uint64_t, 5> kSequences{0, 1, 2, kMostSequences - 2, kMostSequences - 1};

double as_redis_keeps_it(std::uint64_t score) {
    return static_cast<double>(score);
}

TEST(QueueScore, IsExactInADoubleUpToTheLastOne) {
    for (std::uint32_t level = 0; level < kMostClasses; ++level)
        for (const std::uint64_t sequence : kSequences) {
            const std::uint64_t score = *queue_score(level, sequence);
            EXPECT_EQ(static_cast<std::uint64_t>(as_redis_keeps_it(score)), score);
            EXPECT_EQ(class_of_score(score), level);
            EXPECT_EQ(sequence_of_score(score), sequence);
        }
    EXPECT_EQ(*queue_score(kMostClasses - 1, kMostSequences - 1), (std::uint64_t{1} << 53U) - 1);
}

TEST(QueueScore, OnePastALimitIsNone) {
    EXPECT_FALSE(queue_score(kMostClasses, 0));
    EXPECT_FALSE(queue_score(0, kMostSequences));
}

TEST(QueueScore, OrdersByClassAndThenBySequenceWithoutTies) {
    double before = -1;
    for (std::uint32_t level = 0; level < kMostClasses; ++level)
        for (const std::uint64_t sequence : kSequences) {
            const double score = as_redis_keeps_it(*queue_score(level, sequence));
            EXPECT_GT(score, before);
            before = score;
        }
    constexpr std::uint64_t kSeed = 8;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    for (int i = 0; i < 10'000; ++i) {
        const std::pair a{static_cast<std::uint32_t>(random.below(kMostClasses)), random.below(kMostSequences)};
        const std::pair b{static_cast<std::uint32_t>(random.below(kMostClasses)), random.below(kMostSequences)};
        EXPECT_EQ(a < b, as_redis_keeps_it(*queue_score(a.first, a.second)) <
                             as_redis_keeps_it(*queue_score(b.first, b.second)));
    }
}

}  // namespace
}  // namespace sy::store
