// ScoreIndex: the free GPUs in the order of their points for balance, so that the best is found without a look at each.
//
// It knows of a GPU what it was told when it was filed, and gives candidates; whoever asks computes their points and
// compares. The order must hold while time passes: see score_index.cc.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/model/gpu.h"

namespace sy::place {

/// A GPU by its node and its place there.
struct Spot {
    NodeId node;
    GpuCount at = 0;

    friend auto operator<=>(const Spot&, const Spot&) = default;
};

/// After so long a rest gives no more points.
inline constexpr Duration kLongRest = 10min;
/// For a long rest, in thousandths of a point.
inline constexpr std::int64_t kRestPoints = 10'000;

/// GPUs that are alike to a wish.
class ScoreGroup {
public:
    /// A GPU that has rested long: its points for balance stay as they are.
    struct Rested {
        std::int64_t fewer = 0;  ///< The points, negative: the most come first.
        Spot spot;

        friend auto operator<=>(const Rested&, const Rested&) = default;
    };
    /// One that gains points with time.
    struct Resting {
        std::int64_t later = 0;  ///< When it would have had no points at all: the earliest come first.
        std::int64_t steady = 0;
        Spot spot;

        std::int64_t points_at_most(Instant now) const;
        friend auto operator<=>(const Resting&, const Resting&) = default;
    };

    /// Calls visit(spot), which answers with the points for balance, until no other GPU for which fits(spot) holds can
    /// have more of them, or as many and a lower number.
    template <class Fits, class Visit>
    void best(Instant now, Fits fits, Visit visit) const {
        for (const Rested& gpu : rested_) {
            if (!fits(gpu.spot)) continue;
            visit(gpu.spot);
            break;
        }
        std::int64_t most = -1;
        for (auto gpu = resting_.begin(); gpu != resting_.end() && gpu->points_at_most(now) >= most;) {
            if (!fits(gpu->spot)) {
                ++gpu;
                continue;
            }
            most = std::max(most, visit(gpu->spot));
            gpu = resting_.upper_bound({gpu->later, gpu->steady, kLastSpot});  // equals with higher numbers
        }
    }

    void set(const Rested& gpu, bool in) { in ? void(rested_.insert(gpu)) : void(rested_.erase(gpu)); }
    void set(const Resting& gpu, bool in) { in ? void(resting_.insert(gpu)) : void(resting_.erase(gpu)); }
    bool empty() const { return rested_.empty() && resting_.empty(); }

private:
    static constexpr Spot kLastSpot{NodeId(~std::uint32_t{0}), ~GpuCount{0}};

    std::set<Rested> rested_;
    std::set<Resting> resting_;
};

class ScoreIndex {
public:
    struct Filed {
        std::int64_t steady = 0;  ///< Points for balance without those for rest, in thousandths.
        Instant idle_since;
        std::vector<NameId> models;
        bool room_for_another = true;
        bool rested = false;  ///< Set by the index.
    };

    /// In the place of what was filed of it before.
    void file(const Spot& spot, Filed filed);
    void remove(const Spot& spot);
    std::size_t size() const { return filed_.size(); }

    /// Time has come to this. False where that is before what it knows, and it cannot say who is best.
    bool go_to(Instant now);

    const ScoreGroup& with_model(NameId model) const;
    const ScoreGroup& with_room() const { return by_room_[1]; }
    const ScoreGroup& without_room() const { return by_room_[0]; }

private:
    void set(const Spot& spot, const Filed& filed, bool in);

    std::map<Spot, Filed> filed_;
    std::set<std::pair<Instant, Spot>> resting_;
    Instant now_ = kStart;
    std::array<ScoreGroup, 2> by_room_;
    std::map<NameId, ScoreGroup> by_model_;
};

}  // namespace sy::place
