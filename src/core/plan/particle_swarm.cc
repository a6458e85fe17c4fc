// A particle swarm, after Kennedy and Eberhart, with the inertia and pulls of Clerc and Kennedy. A particle that leaves
// [0, 1] stops at the border. The swarm is smaller on very large batches: it keeps three rows of genes for each
// particle.
#include "core/plan/particle_swarm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/plan/decode.h"
#include "core/plan/trials.h"

namespace sy::plan {

namespace {

constexpr std::size_t kParticles = 20;
constexpr std::size_t kLeastParticles = 5;
constexpr float kInertia = 0.7298F;
constexpr float kOwnPull = 1.4962F;
constexpr float kCommonPull = 1.4962F;

struct Particle {
    Genes at;
    Genes speed;
    Genes best;
    Duration makespan{};  ///< Of its best.
};

void fly(Particle& particle, const Genes& common, Random& random) {
    for (std::size_t g = 0; g < common.size(); ++g) {
        float& at = particle.at[g];
        float& speed = particle.speed[g];
        speed = kInertia * speed + kOwnPull * static_cast<float>(random.uniform()) * (particle.best[g] - at) +
                kCommonPull * static_cast<float>(random.uniform()) * (common[g] - at);
        const float next = std::clamp(at + speed, 0.0F, 1.0F);
        speed = next - at;
        at = next;
    }
}

}  // namespace

Draft by_swarm(const Problem& problem, const PlanOptions& options) {
    const Decoder decoder(problem);
    Trials trials(decoder, options);
    Random random(options.seed);
    const std::size_t size = rows_of(decoder.first(), kParticles, kLeastParticles);

    std::vector<Particle> swarm;
    Genes common;
    Duration least{};
    const auto judge = [&](Particle& particle, bool is_new) {
        const Duration makespan = trials.make(particle.at);
        if (is_new || makespan < particle.makespan) {
            particle.best = particle.at;
            particle.makespan = makespan;
        }
        if (common.empty() || makespan < least) {
            common = particle.at;
            least = makespan;
        }
    };
    while (swarm.size() < size && trials.may_go_on()) {
        Genes at = swarm.empty() ? decoder.first() : decoder.near_first(random);
        Particle particle{std::move(at), Genes(decoder.first().size()), {}, {}};
        judge(particle, true);
        swarm.push_back(std::move(particle));
    }
    for (std::size_t turn = 0; trials.may_go_on(); turn = (turn + 1) % swarm.size()) {
        fly(swarm[turn], common, random);
        judge(swarm[turn], false);
    }
    return std::move(trials).best();
}

}  // namespace sy::plan
