#include "service/server/live_facts.h"

#include <optional>
#include <vector>

namespace sy::server {

namespace {
/// So that no model fits on a GPU that is nobody's, which keeps its place in the list.
constexpr Bytes kNextToNothing(1'000);
}  // namespace

runs::LiveFacts live_facts(const Engine& engine, const std::function<std::string(GpuId)>& kind_of) {
    runs::LiveFacts facts;
    const control::Core& core = engine.core();
    for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) {
        const auto models = core.shelves().models_on(gpu);
        std::string kind = kind_of(gpu);
        const Bytes memory = core.ledger().is_gone(gpu) ? kNextToNothing : core.ledger().memory(gpu);
        facts.gpus.push_back({kind.empty() ? "gpu" : std::move(kind), memory,
                              models.empty() ? "" : engine.names().text_of(models.back())});
    }
    for (const auto& [name, entry] : engine.catalogue().models()) {
        const std::vector<double> loads = engine.catalogue().times(Passage::load, name);
        facts.models.push_back(
            {name, entry.memory, loads.empty() ? std::nullopt : std::optional(loads[loads.size() / 2])});
    }
    return facts;
}

}  // namespace sy::server
