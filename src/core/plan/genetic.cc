// A biased random-key genetic algorithm, after Gonçalves and Resende. Each generation keeps its elite as it is, takes
// in a few newcomers and fills up with children: one parent from the elite, one from the rest, each gene from the elite
// parent with probability kFromElite. Newcomers are drawn near the first genes rather than anywhere, since a plan of
// quite random priorities is never of use on a large batch.
#include "core/plan/genetic.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/plan/decode.h"
#include "core/plan/trials.h"

namespace sy::plan {

namespace {

constexpr std::size_t kPopulation = 40;
constexpr std::size_t kLeastPopulation = 8;
constexpr double kElite = 0.25;
constexpr double kNewcomers = 0.15;
constexpr double kFromElite = 0.7;

struct Member {
    Genes genes;
    Duration makespan{};
};

Genes child(const Genes& elite, const Genes& other, Random& random) {
    Genes genes = elite;
    for (std::size_t g = 0; g < genes.size(); ++g)
        if (!random.chance(kFromElite)) genes[g] = other[g];
    return genes;
}

std::size_t share(std::size_t population, double of) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(population) * of));
}

}  // namespace

Draft by_genes(const Problem& problem, const PlanOptions& options) {
    const Decoder decoder(problem);
    Trials trials(decoder, options);
    Random random(options.seed);
    const std::size_t size = rows_of(decoder.first(), kPopulation, kLeastPopulation);
    const std::size_t elite = share(size, kElite);
    const std::size_t newcomers = share(size, kNewcomers);

    std::vector<Member> members;
    const auto join = [&](Genes genes) {
        const Duration makespan = trials.make(genes);
        members.push_back({std::move(genes), makespan});
    };
    join(decoder.first());
    while (members.size() < size && trials.may_go_on()) join(decoder.near_first(random));
    while (trials.may_go_on()) {
        std::stable_sort(members.begin(), members.end(),
                         [](const Member& a, const Member& b) { return a.makespan < b.makespan; });
        const std::vector<Member> parents = std::exchange(members, {});
        members.assign(parents.begin(), parents.begin() + static_cast<std::ptrdiff_t>(elite));
        while (members.size() < size && trials.may_go_on()) {
            const Genes& other = parents[elite + random.below(size - elite)].genes;
            join(members.size() < elite + newcomers ? decoder.near_first(random)
                                                    : child(parents[random.below(elite)].genes, other, random));
        }
    }
    return std::move(trials).best();
}

}  // namespace sy::plan
