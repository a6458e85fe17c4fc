#include "core/queue/waiting_line.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::queue {
namespace {

Place at_place(Rank rank, std::uint64_t task) {
    return {rank, TaskId(task)};
}

WaitingLine line_of(std::initializer_list<Place> places) {
    WaitingLine line;
    for (const Place& place : places) EXPECT_TRUE(line.insert(place));
    return line;
}

/// The naive twin: one sorted vector.
class TwinLine {
public:
    bool insert(const Place& place) {
        const auto spot = std::lower_bound(places.begin(), places.end(), place);
        if (spot != places.end() && *spot == place) return false;
        places.insert(spot, place);
        return true;
    }
    bool erase(const Place& place) {
        const auto spot = std::lower_bound(places.begin(), places.end(), place);
        if (spot == places.end() || *spot != place) return false;
        places.erase(spot);
        return true;
    }
    std::size_t position(const Place& place) const {
        return static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), place) - places.begin());
    }

    std::vector<Place> places;
};

/// A line and its twin, changed alike.
class Pair {
public:
    explicit Pair(std::uint64_t seed) : random_(seed) {}

    std::size_t size() const { return twin_.places.size(); }

    /// Somebody comes: anywhere, at the end, or back to the place left last.
    void grow() {
        switch (random_.below(4)) {
            case 0: return insert(at_place(3, ++last_task_));
            case 1: return insert(last_left_);
            default: return insert(anywhere());
        }
    }
    /// Somebody leaves: the first, one from the middle, or one who may not even be there.
    void shrink() {
        const std::uint64_t how = random_.below(4);
        if (how == 0 || twin_.places.empty()) return erase(anywhere());
        if (how == 1) return erase(twin_.places[random_.below(size())]);
        last_left_ = twin_.places.front();
        line_.pop_front();
        twin_.places.erase(twin_.places.begin());
    }

    void compare_somewhere() {
        ASSERT_EQ(line_.size(), size());
        ASSERT_EQ(line_.empty(), twin_.places.empty());
        ASSERT_TRUE(line_.empty() || line_.front() == twin_.places.front());
        const Place asked = anywhere();
        ASSERT_EQ(line_.position(asked), twin_.position(asked));
        WaitingLine::Spot spot = line_.spot_after(asked);
        const Place* next = line_.look(spot);
        const auto behind = std::upper_bound(twin_.places.begin(), twin_.places.end(), asked);
        ASSERT_EQ(next == nullptr, behind == twin_.places.end());
        ASSERT_TRUE(next == nullptr || *next == *behind);
        const std::size_t position = random_.below(size() + 1);
        ASSERT_EQ(line_.at(position), position < size() ? std::optional(twin_.places[position]) : std::nullopt);
    }
    void compare_everywhere() {
        for (std::size_t i = 0; i < size(); ++i) {
            ASSERT_EQ(line_.at(i), twin_.places[i]);
            ASSERT_EQ(line_.position(twin_.places[i]), i);
        }
    }

private:
    Place anywhere() { return {random_.between(std::int64_t{-1}, std::int64_t{3}), TaskId(random_.below(3000))}; }
    void insert(const Place& place) { ASSERT_EQ(line_.insert(place), twin_.insert(place)); }
    void erase(Place place) {  // a copy: it may come from the twin
        last_left_ = place;
        ASSERT_EQ(line_.erase(place), twin_.erase(place));
    }

    Random random_;
    WaitingLine line_;
    TwinLine twin_;
    std::uint64_t last_task_ = 10'000;
    Place last_left_ = at_place(0, 1);
};

TEST(WaitingLine, AgreesWithItsTwinWhileItGrowsAndShrinks) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Pair pair(seed);
        Random random(seed + 100);
        std::size_t largest = 0;
        for (int i = 0; i < 50'000; ++i) {
            random.chance(i < 25'000 ? 0.8 : 0.1) ? pair.grow() : pair.shrink();
            pair.compare_somewhere();
            if (i % 5000 == 0) pair.compare_everywhere();
            if (HasFatalFailure()) return;
            largest = std::max(largest, pair.size());
        }
        EXPECT_GT(largest, 5000U);
        EXPECT_LT(pair.size(), 100U);
    }
}

TEST(WaitingLine, SmallerRankGoesFirstAndTiesEndAtTheTask) {
    const WaitingLine line = line_of({at_place(1, 1), at_place(0, 9), at_place(0, 2)});
    EXPECT_EQ(line.at(0), at_place(0, 2));
    EXPECT_EQ(line.at(1), at_place(0, 9));
    EXPECT_EQ(line.at(2), at_place(1, 1));
    EXPECT_EQ(line.at(3), std::nullopt);
}

TEST(WaitingLine, RetriedTaskReturnsToItsOldPlace) {
    WaitingLine line = line_of({at_place(0, 1), at_place(0, 2), at_place(0, 3)});
    line.pop_front();
    line.pop_front();
    EXPECT_TRUE(line.insert(at_place(0, 1)));
    EXPECT_EQ(line.front(), at_place(0, 1));
    EXPECT_EQ(line.position(at_place(0, 3)), 1U);
}

TEST(WaitingLine, SamePlaceTwiceIsRefused) {
    WaitingLine line = line_of({at_place(0, 1), at_place(0, 2)});
    EXPECT_FALSE(line.insert(at_place(0, 1)));
    EXPECT_FALSE(line.insert(at_place(0, 2)));
    EXPECT_TRUE(line.insert(at_place(1, 1)));
    EXPECT_EQ(line.size(), 3U);
}

TEST(WaitingLine, LeavingAPlaceNobodyHasIsRefused) {
    WaitingLine line = line_of({at_place(0, 1), at_place(0, 3)});
    EXPECT_FALSE(line.erase(at_place(0, 2)));
    EXPECT_FALSE(line.erase(at_place(0, 4)));
    EXPECT_TRUE(line.erase(at_place(0, 3)));
    EXPECT_FALSE(line.erase(at_place(0, 3)));
    EXPECT_FALSE(WaitingLine().erase(at_place(0, 1)));
    EXPECT_EQ(line.size(), 1U);
}

TEST(WaitingLine, PositionCountsThoseBeforeAPlaceThatNobodyHas) {
    const WaitingLine line = line_of({at_place(0, 1), at_place(0, 3)});
    EXPECT_EQ(line.position(at_place(-1, 9)), 0U);
    EXPECT_EQ(line.position(at_place(0, 2)), 1U);
    EXPECT_EQ(line.position(at_place(9, 0)), 2U);
    EXPECT_EQ(WaitingLine().position(at_place(0, 1)), 0U);
}

TEST(WaitingLine, EmptiedLineFillsAnew) {
    WaitingLine line;
    for (std::uint64_t task = 1; task <= 1000; ++task) line.insert(at_place(0, task));
    while (!line.empty()) line.pop_front();
    EXPECT_EQ(line.at(0), std::nullopt);
    EXPECT_TRUE(line.insert(at_place(0, 500)));
    EXPECT_EQ(line.front(), at_place(0, 500));
}

TEST(WaitingLine, TakingFromAnEmptyLineEndsTheProcess) {
    WaitingLine line;
    EXPECT_DEATH(line.front(), "the line is empty");
    EXPECT_DEATH(line.pop_front(), "the line is empty");
}

}  // namespace
}  // namespace sy::queue
