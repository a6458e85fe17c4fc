#include "core/plan/urgency_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::plan {
namespace {

/// The same by sorting: the highest shelf first, and on a shelf whoever came last.
class NaiveQueue {
public:
    bool empty() const { return all_.empty(); }
    void push(JobIndex job, std::size_t shelf) {
        all_.emplace_back(shelf, job);
        std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    JobIndex top() const { return all_.back().second; }
    void pop() { all_.pop_back(); }

private:
    std::vector<std::pair<std::size_t, JobIndex>> all_;
};

TEST(UrgencyQueue, IsEmptyUntilSomebodyComes) {
    std::vector<JobIndex> next(1);
    UrgencyQueue queue;
    EXPECT_TRUE(queue.empty());
    queue.push(0, 7, next);
    EXPECT_FALSE(queue.empty());
    EXPECT_EQ(queue.top(), 0U);
    queue.pop(next);
    EXPECT_TRUE(queue.empty());
}

TEST(UrgencyQueue, LongestWayGoesFirstAndOnAShelfWhoeverCameLast) {
    std::vector<JobIndex> next(5);
    UrgencyQueue queue;
    queue.push(0, 0, next);
    queue.push(1, UrgencyQueue::kShelves - 1, next);
    queue.push(2, 64, next);
    queue.push(3, 63, next);
    queue.push(4, 64, next);
    for (const JobIndex expected : {1U, 4U, 2U, 3U, 0U}) {
        EXPECT_EQ(queue.top(), expected);
        queue.pop(next);
    }
    EXPECT_TRUE(queue.empty());
}

/// Jobs go in and come out of several queues at random, some back into another: all share one array of links.
TEST(UrgencyQueue, SeveralQueuesShareTheirLinksAndDoAsSortingDoes) {
    constexpr std::size_t kQueues = 4;
    constexpr JobIndex kJobs = 300;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const std::size_t shelves = seed % 3 == 0 ? 3 : UrgencyQueue::kShelves;  // crowded, or one to a shelf
        std::vector<JobIndex> next(kJobs);
        std::vector<UrgencyQueue> queues(kQueues);
        std::vector<NaiveQueue> twins(kQueues);
        std::vector<JobIndex> outside(kJobs);
        for (JobIndex job = 0; job < kJobs; ++job) outside[job] = job;
        for (int turn = 0; turn < 2'000; ++turn) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", turn " << turn);
            const std::size_t q = random.below(kQueues);
            ASSERT_EQ(queues[q].empty(), twins[q].empty());
            if (!outside.empty() && random.chance(0.55)) {
                std::swap(outside[random.below(outside.size())], outside.back());
                const std::size_t shelf = random.below(shelves);
                queues[q].push(outside.back(), shelf, next);
                twins[q].push(outside.back(), shelf);
                outside.pop_back();
            } else if (!twins[q].empty()) {
                ASSERT_EQ(queues[q].top(), twins[q].top());
                outside.push_back(twins[q].top());
                queues[q].pop(next);
                twins[q].pop();
            }
        }
    }
}

TEST(Shelving, LongerWaysNeverLieLower) {
    const Shelving shelf(100s);
    std::size_t last = 0;
    for (Duration way = 0s; way <= 100s; way += 10ms) {
        EXPECT_GE(shelf(way), last);
        EXPECT_LT(shelf(way), UrgencyQueue::kShelves);
        last = shelf(way);
    }
    EXPECT_EQ(shelf(0s), 0U);
    EXPECT_GE(last, UrgencyQueue::kShelves - 2);
}

TEST(Shelving, NoLongestWayLeavesTheShelves) {
    Random random(1);
    for (int draw = 0; draw < 10'000; ++draw) {
        const Duration longest = random.between(1ns, Duration(100h));
        ASSERT_LT(Shelving(longest)(longest), UrgencyQueue::kShelves) << longest.count();
    }
}

TEST(Shelving, WhereNobodyTakesTimeAllShareOneShelf) {
    EXPECT_EQ(Shelving(0s)(0s), 0U);
}

}  // namespace
}  // namespace sy::plan
