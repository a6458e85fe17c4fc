// Decode: a plan out of a row of numbers. What the metaheuristics share (S9).
//
// Genes lie in [0, 1]: one for each job, its priority, then a few that say how a place is chosen. Any genes give a
// valid plan, so a metaheuristic may mix and shake them as it likes.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "core/model/plan.h"
#include "core/plan/problem.h"
#include "core/plan/soonest.h"

namespace sy::plan {

using Genes = std::vector<float>;

class Decoder {
public:
    explicit Decoder(const Problem& problem);

    /// The longest way to the end goes first, switches count a little more than they take: a plan that is never silly.
    const Genes& first() const { return first_; }
    /// The first with its priorities blurred and its choice of places drawn anew.
    Genes near_first(Random& random) const;

    std::vector<PlannedJob> plan(const Genes& genes) const;

    /// Genes before this are priorities; for those behind it no value is likelier than another.
    std::size_t jobs() const { return problem_.jobs().size(); }

private:
    Taste taste_of(const Genes& genes) const;

    const Problem& problem_;
    std::size_t kinds_;
    Duration longest_;  ///< Way to the end of any job.
    Genes first_;
};

}  // namespace sy::plan
