// Problem: metaheuristics move through numbers, a plan is places and times. Choice: random keys. Jobs whose needs are
// planned wait in a line; the one of greatest priority is put behind all else where it is over soonest, with a dread of
// switches that the genes set. A priority is the gene times the longest way to the end of any job, less a share of the
// instant from which the job could run: otherwise what waits for others would hold GPUs that have other work.
//
// Cost: O(N log N), and for each job a look at one GPU for each model held (soonest.h).
#include "core/plan/decode.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "core/plan/dispatch.h"
#include "core/plan/soonest.h"

namespace sy::plan {

namespace {

/// Genes behind those of the jobs: dread of switches, haste, and a price for each kind where there are several.
constexpr std::size_t kDread = 0;
constexpr std::size_t kHaste = 1;
constexpr std::size_t kPrices = 2;

constexpr float kFirstDread = 0.4F;
constexpr float kFirstHaste = 0.5F;

constexpr double kMostDread = 30;
constexpr double kMostHaste = 4;
constexpr double kMostPrice = 4;

double squared_share(float gene, double most) {
    return static_cast<double>(gene) * static_cast<double>(gene) * most;
}

float shaken(float gene, double by, Random& random) {
    return std::clamp(gene + static_cast<float>(by * (2 * random.uniform() - 1)), 0.0F, 1.0F);
}

}  // namespace

Decoder::Decoder(const Problem& problem)
    : problem_(problem), kinds_(problem.batch().kinds.size()), longest_(1), first_(problem.jobs().size()) {
    const auto levels = bottom_levels(problem.jobs());
    for (const Duration level : levels) longest_ = std::max(longest_, level);
    for (std::size_t job = 0; job < levels.size(); ++job)
        first_[job] = static_cast<float>(to_seconds(levels[job]) / to_seconds(longest_));
    first_.insert(first_.end(), {kFirstDread, kFirstHaste});
    if (kinds_ > 1) first_.resize(first_.size() + kinds_, 0.0F);
}

Genes Decoder::near_first(Random& random) const {
    Genes genes = first_;
    const double blur = random.uniform() * random.uniform();
    for (std::size_t gene = 0; gene < jobs(); ++gene) genes[gene] = shaken(genes[gene], blur, random);
    for (std::size_t gene = jobs(); gene < genes.size(); ++gene) genes[gene] = static_cast<float>(random.uniform());
    return genes;
}

Taste Decoder::taste_of(const Genes& genes) const {
    Taste taste{squared_share(genes[jobs() + kDread], kMostDread), {}};
    for (std::size_t gene = jobs() + kPrices; gene < genes.size(); ++gene)
        taste.price.push_back(squared_share(genes[gene], kMostPrice));
    return taste;
}

std::vector<PlannedJob> Decoder::plan(const Genes& genes) const {
    const Jobs& jobs = problem_.jobs();
    const Taste taste = taste_of(genes);
    const double haste = squared_share(genes[jobs.size() + kHaste], kMostHaste);
    std::vector<std::uint32_t> open(jobs.size());
    std::vector<Instant> ready(jobs.size(), kStart);
    std::priority_queue<std::pair<double, JobIndex>> line;
    const auto join = [&](JobIndex job) {
        const double way = static_cast<double>(genes[job]) * to_seconds(longest_);
        line.emplace(way - haste * to_seconds(ready[job] - kStart), job);
    };
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        open[job] = static_cast<std::uint32_t>(jobs.need_count(job));
        if (open[job] == 0) join(job);
    }
    Appender appender(problem_);
    std::vector<PlannedJob> planned;
    planned.reserve(jobs.size());
    while (!line.empty()) {
        const JobIndex job = line.top().second;
        line.pop();
        planned.push_back(appender.append(job, ready[job], taste));
        jobs.for_each_successor(job, [&](JobIndex next) {
            ready[next] = std::max(ready[next], planned.back().end);
            if (--open[next] == 0) join(next);
        });
    }
    return planned;
}

}  // namespace sy::plan
