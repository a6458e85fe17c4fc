// A max–min ant system, after Stützle and Hoos. The range of each gene is cut into a few steps; an ant takes one step
// for each gene with a probability that grows with the trail on it and with how near it lies to the first genes, and a
// point within it by chance. After each round all trails fade, and the round's best ant or the best of all adds to its
// own; trails stay between a least and a greatest, so that no step is ever ruled out.
//
// Trails take jobs × steps floats; the number of steps falls on very large batches, so that this is bounded.
#include "core/plan/ant_colony.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/plan/decode.h"
#include "core/plan/trials.h"

namespace sy::plan {

namespace {

constexpr std::size_t kAnts = 10;
constexpr std::size_t kSteps = 16;
constexpr std::size_t kLeastSteps = 4;
constexpr float kFading = 0.1F;
constexpr float kLeastTrail = 0.02F;
constexpr double kNearness = 0.5;   ///< Each step away from the first genes is so much less likely.
constexpr double kBestOfAll = 0.5;  ///< How often the best of all leaves the trail instead of the round's.

struct Ant {
    Genes genes;
    Duration makespan{};
};

class Trails {
public:
    explicit Trails(const Decoder& decoder)
        : decoder_(decoder),
          first_(decoder.first()),
          steps_(rows_of(first_, kSteps, kLeastSteps)),
          trail_(first_.size() * steps_, 1.0F) {
        for (std::size_t away = 0; away < steps_; ++away)
            nearness_.push_back(static_cast<float>(std::pow(kNearness, static_cast<double>(away))));
    }

    /// Most of the time close to the best of all: each ant has its own share of genes that it takes over.
    Genes draw(const Genes& best, Random& random) const {
        Genes genes = best;
        const double own = random.uniform();
        for (std::size_t gene = 0; gene < genes.size(); ++gene)
            if (random.chance(own))
                genes[gene] = static_cast<float>((static_cast<double>(draw_step(gene, random)) + random.uniform()) /
                                                 static_cast<double>(steps_));
        return genes;
    }

    void fade_and_mark(const Genes& genes) {
        for (float& trail : trail_) trail = std::max(kLeastTrail, trail * (1 - kFading));
        for (std::size_t gene = 0; gene < genes.size(); ++gene) {
            float& trail = trail_[gene * steps_ + step_of(genes[gene])];
            trail = std::min(1.0F, trail + kFading);
        }
    }

private:
    std::size_t step_of(float gene) const {
        return std::min(steps_ - 1, static_cast<std::size_t>(gene * static_cast<float>(steps_)));
    }
    float weight(std::size_t gene, std::size_t step) const {
        if (gene >= decoder_.jobs()) return trail_[gene * steps_ + step];
        const std::size_t home = step_of(first_[gene]);
        return trail_[gene * steps_ + step] * nearness_[step > home ? step - home : home - step];
    }
    std::size_t draw_step(std::size_t gene, Random& random) const {
        float sum = 0;
        for (std::size_t step = 0; step < steps_; ++step) sum += weight(gene, step);
        float left = sum * static_cast<float>(random.uniform());
        for (std::size_t step = 0; step + 1 < steps_; ++step) {
            left -= weight(gene, step);
            if (left < 0) return step;
        }
        return steps_ - 1;
    }

    const Decoder& decoder_;
    const Genes& first_;
    std::size_t steps_;
    std::vector<float> trail_;  ///< By gene, then step.
    std::vector<float> nearness_;
};

}  // namespace

Draft by_ants(const Problem& problem, const PlanOptions& options) {
    const Decoder decoder(problem);
    Trials trials(decoder, options);
    Random random(options.seed);
    Trails trails(decoder);
    Ant best{decoder.first(), trials.make(decoder.first())};
    while (trials.may_go_on()) {
        Ant best_of_round;
        for (std::size_t ant = 0; ant < kAnts && trials.may_go_on(); ++ant) {
            Genes genes = trails.draw(best.genes, random);
            const Duration makespan = trials.make(genes);
            if (ant == 0 || makespan < best_of_round.makespan) best_of_round = {std::move(genes), makespan};
        }
        if (best_of_round.genes.empty()) break;
        if (best_of_round.makespan < best.makespan) best = best_of_round;
        trails.fade_and_mark(random.chance(kBestOfAll) ? best.genes : best_of_round.genes);
    }
    return std::move(trials).best();
}

}  // namespace sy::plan
