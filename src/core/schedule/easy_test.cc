// A floor that is kept as the other one answers as a fresh copy would, whatever happens to a live cluster.
#include "core/schedule/easy.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/place/registry.h"
#include "core/queue/registry.h"
#include "core/schedule/steady.h"

namespace sy::schedule {
namespace {

constexpr GpuCount kWidth = 4;

Steady scheduler(const char* placement, bool afresh) {
    return {queue::make_order("fcfs", {}), std::make_unique<Easy>(afresh), place::make_placement(placement), {}};
}

/// One scheduler and its twin, which copies the floor at every reservation. Both live through the same.
class Twins {
public:
    Twins(const char* placement, std::uint64_t seed)
        : random_(seed), kept_(scheduler(placement, false)), fresh_(scheduler(placement, true)) {
        for (int node = 0; node < 3; ++node) add_node();
    }

    void go_on() {
        now_ += Duration(std::chrono::seconds(random_.below(20)));
        switch (random_.below(12)) {
            case 0: return set_present();
            case 1: return set_memory();
            case 2:
                if (nodes_ < 6 && random_.chance(0.2)) add_node();
                return;
            case 3: return leave(true);
            case 4:
            case 5:
            case 6: return leave(false);
            default: return admit();
        }
    }

    /// Who starts where, by the one and by the other.
    void decide() {
        const auto starts = kept_.decide(now_).starts;
        const auto expected = fresh_.decide(now_).starts;
        ASSERT_EQ(starts.size(), expected.size());
        for (std::size_t i = 0; i < starts.size(); ++i) {
            ASSERT_EQ(starts[i].task, expected[i].task);
            ASSERT_EQ(starts[i].seat, expected[i].seat);
            running_.push_back(starts[i].task);
        }
        started_ += starts.size();
    }
    std::size_t started() const { return started_; }

private:
    template <class Do>
    void both(Do what) {
        what(kept_);
        what(fresh_);
    }
    void add_node() {
        const NodeSpec node{.gpus = kWidth, .gpu_memory = gigabytes(80), .cpus = 16};
        both([&](Steady& s) { s.add_node(node, std::vector(kWidth, GpuSpec{gigabytes(80)})); });
        ++nodes_;
    }
    NodeId any_node() { return NodeId(static_cast<std::uint32_t>(random_.below(nodes_))); }
    GpuCount any_gpu() { return static_cast<GpuCount>(random_.below(kWidth)); }
    void set_present() {
        const NodeId node = any_node();
        const GpuCount at = any_gpu();
        const bool present = random_.chance(0.7);
        both([&](Steady& s) { s.set_present(node, at, present); });
    }
    void set_memory() {
        const NodeId node = any_node();
        const GpuCount at = any_gpu();
        const Bytes memory = gigabytes(random_.chance(0.5) ? 80 : 30);
        both([&](Steady& s) { s.set_memory(node, at, memory); });
    }
    void admit() {
        const Duration expected = std::chrono::seconds(1 + random_.below(100));
        const auto gpus = static_cast<GpuCount>(random_.chance(0.3) ? 2 + random_.below(3) : 1);
        const Demand demand{.gpus = gpus,
                            .memory = gigabytes(random_.chance(0.3) ? 50 : 10),
                            .cpus = static_cast<std::uint32_t>(random_.chance(0.3) ? 8 : 0)};
        const TaskId task(++tasks_);
        const queue::Candidate candidate{.submitted = now_, .length = expected, .expected = expected, .gpus = gpus};
        both([&](Steady& s) { s.admit(task, candidate, demand); });
    }
    void leave(bool to_start_over) {
        if (running_.empty()) return;
        std::swap(running_[random_.below(running_.size())], running_.back());
        const TaskId task = running_.back();
        running_.pop_back();
        both([&](Steady& s) { to_start_over ? s.start_over(task, now_) : s.leave(task, now_); });
    }

    Random random_;
    Steady kept_;
    Steady fresh_;
    Instant now_ = kStart;
    std::size_t nodes_ = 0;
    std::uint64_t tasks_ = 0;
    std::size_t started_ = 0;
    std::vector<TaskId> running_;
};

TEST(Easy, ASpareFloorThatIsKeptAnswersAsAFreshOne) {
    for (const char* placement : {"first-fit", "consolidate", "spread", "best-fit"})
        for (std::uint64_t seed = 1; seed <= 30; ++seed) {
            SCOPED_TRACE(testing::Message() << placement << ", seed " << seed);
            Twins twins(placement, seed);
            for (int i = 0; i < 400; ++i) {
                twins.go_on();
                twins.decide();
                if (testing::Test::HasFatalFailure()) return;
            }
            EXPECT_GT(twins.started(), 50U) << "too little happened to show anything";
        }
}

}  // namespace
}  // namespace sy::schedule
