// Trials: the budget of a metaheuristic and the best plan it has met. Each trial is one pass.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/plan/decode.h"
#include "core/plan/strategy.h"

namespace sy::plan {

class Trials {
public:
    Trials(const Decoder& decoder, const PlanOptions& options) : decoder_(decoder), options_(options) {}

    /// Whether another may follow; there is always a first.
    bool may_go_on() const {
        if (count_ == 0) return true;
        return best_ > options_.good_enough && count_ < options_.passes && options_.keep_going();
    }

    /// How long the plan of these genes takes.
    Duration make(const Genes& genes) {
        auto jobs = decoder_.plan(genes);
        Instant end = kStart;
        for (const PlannedJob& job : jobs) end = std::max(end, job.end);
        const Duration makespan = end - kStart;
        if (count_++ > 0 && makespan >= best_) return makespan;
        best_ = makespan;
        jobs_ = std::move(jobs);
        options_.improved(makespan);
        return makespan;
    }

    Draft best() && { return {std::move(jobs_)}; }

private:
    const Decoder& decoder_;
    const PlanOptions& options_;
    std::uint64_t count_ = 0;
    Duration best_{};
    std::vector<PlannedJob> jobs_;
};

/// How many rows of genes a metaheuristic may keep: `wanted`, or fewer where the batch is very large.
inline std::size_t rows_of(const Genes& genes, std::size_t wanted, std::size_t least) {
    constexpr std::size_t kMostGenes = 16'000'000;
    return std::clamp(kMostGenes / genes.size(), least, wanted);
}

}  // namespace sy::plan
