#include "core/estimate/switch_cost.h"

#include <algorithm>
#include <cmath>

namespace sy::estimate {

namespace {

Duration by_formula(const SwitchRules& rules, const ModelSpec* from, const ModelSpec& to) {
    double bytes = static_cast<double>(to.memory.value()) / to.gpus;
    if (from != nullptr && rules.unload) bytes += static_cast<double>(from->memory.value()) / from->gpus;
    return Duration(std::llround(bytes / rules.bytes_per_second * 1e9)) + rules.overhead;
}

}  // namespace

SwitchCost::SwitchCost(const Batch& batch)
    : models_(batch.models.size()),
      times_(batch.kinds.size() * (models_ + 1) * models_),
      least_(models_, Duration::max()) {
    const auto at = [this](std::size_t kind, std::optional<ModelId> from, ModelId to) -> Duration& {
        return times_[(kind * (models_ + 1) + (from ? from->value() + 1U : 0U)) * models_ + to.value()];
    };
    for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind)
        for (std::uint32_t to = 0; to < models_; ++to) {
            at(kind, std::nullopt, ModelId(to)) = by_formula(batch.switching, nullptr, batch.models[to]);
            for (std::uint32_t from = 0; from < models_; ++from)
                if (from != to)
                    at(kind, ModelId(from), ModelId(to)) =
                        by_formula(batch.switching, &batch.models[from], batch.models[to]);
        }
    for (const SwitchMatrix& matrix : batch.switching.matrices)
        for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind) {
            if (matrix.kind && matrix.kind->value() != kind) continue;
            for (std::size_t f = 0; f < matrix.from.size(); ++f)
                for (std::size_t t = 0; t < matrix.to.size(); ++t)
                    if (matrix.from[f] != matrix.to[t]) at(kind, matrix.from[f], matrix.to[t]) = matrix.times[f][t];
        }
    for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind)
        for (std::uint32_t to = 0; to < models_; ++to) {
            least_[to] = std::min(least_[to], at(kind, std::nullopt, ModelId(to)));
            for (std::uint32_t from = 0; from < models_; ++from)
                if (from != to) least_[to] = std::min(least_[to], at(kind, ModelId(from), ModelId(to)));
        }
}

}  // namespace sy::estimate
