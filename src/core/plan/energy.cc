// Cost: pairs of instants × charges for each end that is tried. All heads and tails are looked at where there are few
// charges, evenly chosen ones where there are many, which can only make the bound lower.
#include "core/plan/energy.h"

#include <algorithm>
#include <cmath>

namespace sy::plan {

namespace {

/// Additions for one end that is tried, some milliseconds.
constexpr double kMostAdditions = 2'000'000;
/// Share of the known bound below which a rise is not worth looking for.
constexpr std::int64_t kFinest = 10'000;

/// Evenly chosen among the distinct values.
std::vector<std::int64_t> few_of(std::vector<std::int64_t> values, std::size_t most) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() <= most) return values;
    std::vector<std::int64_t> chosen;
    for (std::size_t i = 0; i < most; ++i) chosen.push_back(values[i * (values.size() - 1) / (most - 1)]);
    return chosen;
}

class Intervals {
public:
    Intervals(const std::vector<Charge>& charges, std::int64_t capacity) : charges_(charges), capacity_(capacity) {
        const double pairs = kMostAdditions / static_cast<double>(charges.size());
        const auto most = static_cast<std::size_t>(std::max(2.0, std::sqrt(pairs)));
        std::vector<std::int64_t> heads;
        std::vector<std::int64_t> tails;
        for (const Charge& charge : charges) {
            heads.push_back(charge.head.count());
            tails.push_back(charge.tail.count());
        }
        heads_ = few_of(std::move(heads), most);
        tails_ = few_of(std::move(tails), most);
    }

    /// Whether it is shown that not all can end by then.
    bool is_too_soon(std::int64_t end) const {
        for (const std::int64_t from : heads_)
            for (const std::int64_t tail : tails_)
                if (const std::int64_t to = end - tail; from < to && does_not_fit(from, to, end)) return true;
        return false;
    }

private:
    bool does_not_fit(std::int64_t from, std::int64_t to, std::int64_t end) const {
        const double room = static_cast<double>(capacity_) * static_cast<double>(to - from);
        double energy = 0;  // rounds by far less than the margin below
        for (const Charge& charge : charges_) {
            const std::int64_t pushed_left = charge.head.count() + charge.time.count() - from;
            const std::int64_t pushed_right = to - (end - charge.tail.count() - charge.time.count());
            const std::int64_t least = std::min({charge.time.count(), to - from, pushed_left, pushed_right});
            if (least > 0) energy += static_cast<double>(charge.weight) * static_cast<double>(least);
        }
        return energy > room * (1 + 1e-9);
    }

    const std::vector<Charge>& charges_;
    std::int64_t capacity_;
    std::vector<std::int64_t> heads_;
    std::vector<std::int64_t> tails_;
};

}  // namespace

Duration energy_bound(const std::vector<Charge>& charges, std::int64_t capacity, Duration known, Duration grain) {
    if (charges.empty() || capacity <= 0) return known;
    const Intervals intervals(charges, capacity);
    const Duration notch = std::max<std::int64_t>(1, known / kFinest / grain) * grain;
    const auto too_soon = [&](std::int64_t notches) {
        return intervals.is_too_soon((known + notches * notch).count());
    };
    if (!too_soon(0)) return known;
    std::int64_t step = 1;
    std::int64_t shown = 0;
    for (; too_soon(shown + step); step *= 2) shown += step;
    for (step /= 2; step > 0; step /= 2)
        if (too_soon(shown + step)) shown += step;
    return known + shown * notch + grain;
}

}  // namespace sy::plan
