#include "core/optimum/profile.h"

#include <algorithm>

namespace sy::optimum {

Instant Profile::first_room(Instant from, Duration length, const Amounts& demand) const {
    const auto later_than = [](Instant at, const Step& step) { return at < step.from; };
    auto step = std::upper_bound(steps_.begin(), steps_.end(), from, later_than);
    if (step != steps_.begin()) --step;
    Instant start = from;
    for (; step != steps_.end() && step->from < start + length; ++step) {
        Amounts both{};
        for (std::size_t r = 0; r < kResources; ++r) both[r] = step->held[r] + demand[r];
        const auto next = step + 1;
        const bool is_over = next != steps_.end() && next->from <= start;
        if (is_over || fits(both, capacity_)) continue;
        start = next->from;  // the last step holds nothing, so there is a next one
    }
    return start;
}

void Profile::hold(Instant start, Duration length, const Amounts& demand) {
    if (length == 0s) return;
    const std::size_t begin = step_at(start);
    const std::size_t end = step_at(start + length);
    for (std::size_t i = begin; i < end; ++i)
        for (std::size_t r = 0; r < kResources; ++r) steps_[i].held[r] += demand[r];
}

/// The step that begins there, made where there is none.
std::size_t Profile::step_at(Instant at) {
    const auto sooner = [](const Step& step, Instant instant) { return step.from < instant; };
    const auto place = std::lower_bound(steps_.begin(), steps_.end(), at, sooner);
    const auto index = static_cast<std::size_t>(place - steps_.begin());
    if (place != steps_.end() && place->from == at) return index;
    steps_.insert(place, {at, index == 0 ? Amounts{} : steps_[index - 1].held});
    return index;
}

}  // namespace sy::optimum
