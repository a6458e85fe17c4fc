// Problem: no one method is good at every batch. How long to stay with a model, and how much to look ahead, depends on
// it; so does whether the last per cent hides in the order of jobs or in who does what.
//
// Choice: begin with one dispatch pass, which is good at once, and go on with what suits the batch. Independent jobs
// are levelled (levelling.h). Otherwise many passes with other weights (tuning.h), taking turns with walks through
// orders (order_walk.h) where the batch is small enough for thousands of them. Turns are counted, not timed, which
// makes a run of so many passes repeatable; whatever `keep_going` says lets a clock end it; the first pass always runs.
#include "core/plan/search.h"

#include <algorithm>
#include <utility>

#include "core/plan/ant_colony.h"
#include "core/plan/bound.h"
#include "core/plan/dispatch.h"
#include "core/plan/genetic.h"
#include "core/plan/levelling.h"
#include "core/plan/order_walk.h"
#include "core/plan/particle_swarm.h"
#include "core/plan/tuning.h"

namespace sy::plan {

namespace {

/// Beyond this many jobs a walk through orders is slower than the passes it takes turns with are good.
constexpr std::size_t kMostJobsToWalk = 3'000;
constexpr std::uint64_t kMovesInATurn = 2'000;
constexpr std::uint64_t kChangesInATurn = 100;
constexpr std::uint64_t kTurnsOfPasses = 30;
constexpr std::uint64_t kTurnsOfAWalk = 30;

Duration length_of(const std::vector<PlannedJob>& jobs) {
    Instant last = kStart;
    for (const PlannedJob& job : jobs) last = std::max(last, job.end);
    return last - kStart;
}

class Hunt {
public:
    Hunt(const Problem& problem, const PlanOptions& options)
        : problem_(problem),
          options_(options),
          levels_(bottom_levels(problem.jobs())),
          tuning_(problem.batch().kinds.size() > 1, options.seed) {}

    std::vector<PlannedJob> run() {
        pass();
        if (is_independent(problem_))
            level();
        else if (problem_.jobs().size() <= kMostJobsToWalk)
            pass_and_walk();
        else
            while (goes_on()) pass();
        return std::move(best_);
    }

private:
    /// Counts a turn. False where there are none left or nothing is left to win.
    bool goes_on() {
        ++turns_;
        return turns_ < options_.passes && !is_done() && options_.keep_going();
    }
    bool is_done() const { return length_ <= options_.good_enough; }

    void offer(std::vector<PlannedJob> jobs) {
        const Duration length = length_of(jobs);
        if (turns_ > 0 && length >= length_) return;
        best_ = std::move(jobs);
        length_ = length;
        options_.improved(length_);
    }

    void pass() {
        const DispatchWeights weights = tuning_.next();
        auto jobs = dispatch(problem_, levels_, weights);
        if (turns_ == 0 || length_of(jobs) < passed_) {
            passed_ = length_of(jobs);
            tuning_.keep(weights);
        }
        offer(std::move(jobs));
    }

    void level() {
        Loads start = loads_of(problem_, best_);
        if (auto wrapped = wrapped_around(problem_); wrapped && wrapped->longest() < start.longest())
            start = std::move(*wrapped);
        Levelling levelling(problem_, std::move(start), options_.good_enough, grain(problem_), options_.seed);
        while (goes_on())
            if (levelling.go(kMovesInATurn) || levelling.best().longest() < length_) offer(levelling.best().plan());
    }

    void pass_and_walk() {
        const auto pass_for_a_while = [this] {
            for (std::uint64_t turn = 0; turn < kTurnsOfPasses && goes_on(); ++turn) pass();
        };
        const auto walk_for_a_while = [this](OrderWalk& walk) {
            if (length_ < walk.best()) walk.begin_with(best_);
            for (std::uint64_t turn = 0; turn < kTurnsOfAWalk && goes_on(); ++turn)
                if (walk.go(kChangesInATurn) && walk.best() < length_) offer(walk.plan());
        };
        pass_for_a_while();
        OrderWalk with_places(problem_, best_, Replay::Places::given, options_.seed);
        OrderWalk without_places(problem_, best_, Replay::Places::soonest, options_.seed);
        while (goes_on()) {
            walk_for_a_while(without_places);
            walk_for_a_while(with_places);
            pass_for_a_while();
        }
    }

    const Problem& problem_;
    const PlanOptions& options_;
    const std::vector<Duration> levels_;
    Tuning tuning_;
    std::vector<PlannedJob> best_;
    Duration length_{};
    Duration passed_{};  ///< Of the best plan that a pass gave.
    std::uint64_t turns_ = 0;
};

}  // namespace

Draft Search::plan(const Problem& problem, const PlanOptions& options) const {
    if (options.method == SearchMethod::genetic) return by_genes(problem, options);
    if (options.method == SearchMethod::ants) return by_ants(problem, options);
    if (options.method == SearchMethod::swarm) return by_swarm(problem, options);
    return {Hunt(problem, options).run()};
}

}  // namespace sy::plan
