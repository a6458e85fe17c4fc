// Stages: what each member of a team could hold and how long it would take, laid out for loops over many ranges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/pipeline/divide/team.h"

namespace sy::pipeline {

class Stages {
public:
    using Time = std::int64_t;
    /// As long as never, for sums and comparisons.
    static constexpr Time kFar = kEndless.count();

    explicit Stages(const Team& team) : layers_(team.costs().layers) {
        for (std::size_t m = 0; m < team.size(); ++m) {
            const NodeCosts& numbers = team.numbers(m);
            measured_.push_back(numbers.measured_time.empty() ? nullptr : numbers.measured_time.data());
            before_.push_back(numbers.time_before.data());
            const bool same = m > 0 && same_node(numbers, team.numbers(m - 1));
            for (Layer l = 0; l < layers_; ++l)
                furthest_.push_back(same ? furthest_[furthest_.size() - layers_]
                                         : team.costs().furthest(team.node(m), l));
        }
    }

    Layer furthest(std::size_t member, Layer first) const { return furthest_[member * layers_ + first]; }
    Time time(std::size_t member, Layer first, Layer end) const {
        const Duration* measured = measured_[member];
        return (measured != nullptr ? measured[end - first - 1] : before_[member][end] - before_[member][first])
            .count();
    }
    /// A longer stage from the same layer on takes no less.
    bool monotone(std::size_t member) const { return measured_[member] == nullptr; }

    /// A stage and the leap into it added to what comes before; kFar where either is slower than the limit.
    template <bool kSum>
    static Time join(Time before, Time stage, const Leap& leap, Time limit) {
        if (stage > limit || leap.period.count() > limit) return kFar;
        return kSum ? before + stage + leap.time.count() : std::max({before, stage, leap.period.count()});
    }

private:
    Layer layers_;
    std::vector<const Duration*> measured_;
    std::vector<const Duration*> before_;
    std::vector<Layer> furthest_;  ///< By member and layer.
};

}  // namespace sy::pipeline
