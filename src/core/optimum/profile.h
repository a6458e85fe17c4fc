// Profile: what is held of each resource over time, and where there is room.
#pragma once

#include <vector>

#include "core/optimum/model.h"

namespace sy::optimum {

class Profile {
public:
    explicit Profile(const Amounts& capacity) : capacity_(capacity) {}

    /// The first instant from `from` on at which the demand fits for that long. It must fit the capacity.
    Instant first_room(Instant from, Duration length, const Amounts& demand) const;
    void hold(Instant start, Duration length, const Amounts& demand);
    void clear() { steps_.clear(); }

private:
    /// From here to the next step so much is held.
    struct Step {
        Instant from;
        Amounts held{};
    };
    std::size_t step_at(Instant at);

    Amounts capacity_;
    std::vector<Step> steps_;  ///< By time; nothing is held before the first and from the last on.
};

}  // namespace sy::optimum
