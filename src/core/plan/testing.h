// Builders for tests of the planner: a Yard writes a batch down in a few words, random_batch draws a small one that can
// be planned. Not part of the product.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "core/model/batch.h"
#include "core/model/plan.h"

namespace sy::plan::testing {

/// By kind; nothing where that kind cannot run the step.
using Seconds = std::vector<std::optional<double>>;

inline std::uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) names.push_back(name);
    return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// A step lies one level behind the last of its needs, which stand before it.
inline void add_step(Workflow& workflow, Step step) {
    for (const std::uint32_t need : step.needs) step.level = std::max(step.level, workflow.steps[need].level + 1);
    workflow.steps.push_back(std::move(step));
}

/// Words in the order of the file: GPUs, models, workflows with their steps, requests. Names that are not there are a
/// mistake of the test.
class Yard {
public:
    Yard& gpus(std::size_t count, std::uint64_t gb, const std::string& kind = "gpu", const std::string& node = "n0") {
        const BatchGpu gpu{KindId(number_of(batch_.kinds, kind)), gigabytes(gb), NodeId(number_of(batch_.nodes, node)),
                           std::nullopt};
        batch_.gpus.insert(batch_.gpus.end(), count, gpu);
        return *this;
    }
    Yard& switching(double gb_per_s, Duration overhead, bool unload = true) {
        batch_.switching = {gb_per_s * 1e9, overhead, unload, {}};
        return *this;
    }
    Yard& matrix(SwitchMatrix matrix) {
        batch_.switching.matrices.push_back(std::move(matrix));
        return *this;
    }
    Yard& model(const std::string& name, std::uint64_t gb, GpuCount gpus = 1) {
        batch_.models.push_back({name, gigabytes(gb), gpus});
        return *this;
    }
    Yard& holds(std::size_t gpu, const std::string& model) {
        batch_.gpus.at(gpu).holds = named(model);
        return *this;
    }
    Yard& workflow(const std::string& name) {
        batch_.workflows.push_back({name, {}});
        return *this;
    }
    Yard& step(const std::string& name, const std::string& model, const Seconds& seconds,
               const std::vector<std::uint32_t>& needs = {}) {
        add_step(batch_.workflows.back(), {name, named(model), seconds, needs, 0});
        return *this;
    }
    /// As long on every kind.
    Yard& step(const std::string& name, const std::string& model, double seconds,
               const std::vector<std::uint32_t>& needs = {}) {
        return step(name, model, Seconds(batch_.kinds.size(), seconds), needs);
    }
    Yard& requests(std::size_t count, std::uint32_t workflow = 0, double scale = 1) {
        for (std::size_t i = 0; i < count; ++i)
            batch_.requests.push_back({"r" + std::to_string(batch_.requests.size()), workflow, scale, Level::normal});
        return *this;
    }
    Batch batch() const { return batch_; }

private:
    ModelId named(const std::string& name) const {
        std::uint32_t m = 0;
        while (batch_.models.at(m).name != name) ++m;
        return ModelId(m);
    }

    Batch batch_;
};

inline std::size_t job_count(const Batch& batch) {
    std::size_t jobs = 0;
    for (const Request& request : batch.requests) jobs += batch.workflows[request.workflow].steps.size();
    return jobs;
}

/// Every place for a model, looked through one by one.
inline std::vector<GpuSpan> places(const Batch& batch, const ModelSpec& model) {
    std::vector<GpuSpan> found;
    for (std::uint32_t first = 0; first + model.gpus <= batch.gpus.size(); ++first) {
        bool fits = true;
        for (std::uint32_t i = first; i < first + model.gpus; ++i)
            fits =
                fits && batch.gpus[i].node == batch.gpus[first].node && batch.gpus[i].memory >= model.memory_per_gpu();
        if (fits) found.push_back({GpuId(first), model.gpus});
    }
    return found;
}

template <class T>
const T& one_of(Random& random, const std::vector<T>& items) {
    return items[random.below(items.size())];
}

inline void draw_gpus(Random& random, Yard& yard) {
    const std::vector<std::pair<std::string, std::uint64_t>> kinds{{"small", 24}, {"middle", 48}, {"large", 80}};
    const std::uint64_t known = 1 + random.below(kinds.size());
    for (std::uint64_t node = 0, nodes = 1 + random.below(3); node < nodes; ++node) {
        const bool mixed = random.chance(0.3);
        auto kind = kinds[random.below(known)];
        for (std::uint64_t gpu = 1 + random.below(4); gpu > 0; --gpu) {
            yard.gpus(1, kind.second, kind.first, "n" + std::to_string(node));
            if (mixed) kind = kinds[random.below(known)];
        }
    }
}

/// Models that fit somewhere, a third of them gangs where they can be.
inline void draw_models(Random& random, Batch& batch) {
    for (std::uint64_t m = 0, many = 1 + random.below(5); m < many; ++m) {
        ModelSpec model{"m" + std::to_string(m), {}, 1};
        if (random.chance(0.35)) model.gpus = static_cast<GpuCount>(2 + random.below(3));
        model.memory = gigabytes(1 + random.below(std::uint64_t{80} * model.gpus));
        if (places(batch, model).empty()) model = {model.name, gigabytes(1 + random.below(24)), 1};
        batch.models.push_back(model);
    }
}

inline Seconds draw_seconds(Random& random, const Batch& batch, const ModelSpec& model) {
    Seconds seconds(batch.kinds.size());
    const auto draw = [&] { return static_cast<double>(1 + random.below(8'000)) / 1'000; };
    for (auto& on_kind : seconds)
        if (random.chance(0.75)) on_kind = draw();
    const GpuSpan place = one_of(random, places(batch, model));  // here at least it can run
    for (GpuId gpu = place.first; gpu < place.end(); gpu = gpu.next()) {
        auto& on_kind = seconds[batch.gpus[gpu.value()].kind.value()];
        if (!on_kind) on_kind = draw();
    }
    return seconds;
}

inline void draw_workflows(Random& random, Batch& batch) {
    for (std::uint64_t w = 0, many = 1 + random.below(3); w < many; ++w) {
        Workflow workflow{"w" + std::to_string(w), {}};
        for (std::uint32_t s = 0, steps = static_cast<std::uint32_t>(1 + random.below(6)); s < steps; ++s) {
            const ModelId model(static_cast<std::uint32_t>(random.below(batch.models.size())));
            Step step{"s" + std::to_string(s), model, draw_seconds(random, batch, batch.models[model.value()]), {}, 0};
            for (std::uint32_t earlier = 0; earlier < s; ++earlier)
                if (random.chance(0.35)) step.needs.push_back(earlier);
            add_step(workflow, std::move(step));
        }
        batch.workflows.push_back(std::move(workflow));
    }
}

inline void draw_switching(Random& random, Batch& batch) {
    const Duration overhead = one_of<Duration>(random, {0s, 500ms, 2s});
    batch.switching = {one_of<double>(random, {1e9, 16e9, 1e11}), overhead, random.chance(0.5), {}};
    if (!random.chance(0.3)) return;
    SwitchMatrix matrix;
    if (random.chance(0.5)) matrix.kind = KindId(static_cast<std::uint32_t>(random.below(batch.kinds.size())));
    if (random.chance(0.7)) matrix.from.push_back(std::nullopt);
    for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
        if (random.chance(0.5)) matrix.from.emplace_back(ModelId(m));
        if (random.chance(0.7)) matrix.to.emplace_back(m);
    }
    matrix.times.resize(matrix.from.size());
    for (auto& row : matrix.times)
        for (std::size_t t = 0; t < matrix.to.size(); ++t) row.push_back(random.between(Duration(0s), Duration(5s)));
    batch.switching.matrices.push_back(std::move(matrix));
}

/// Some models lie whole in one of their places, others in part.
inline void draw_holds(Random& random, Batch& batch) {
    if (!random.chance(0.5)) return;
    for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
        const GpuSpan place = one_of(random, places(batch, batch.models[m]));
        for (GpuId gpu = place.first; gpu < place.end(); gpu = gpu.next())
            if (random.chance(0.8)) batch.gpus[gpu.value()].holds = ModelId(m);
    }
}

/// A small batch in which every step can run somewhere.
inline Batch random_batch(Random& random) {
    Yard yard;
    draw_gpus(random, yard);
    Batch batch = yard.batch();
    draw_models(random, batch);
    draw_workflows(random, batch);
    draw_switching(random, batch);
    draw_holds(random, batch);
    for (std::uint64_t r = 0, many = random.below(13); r < many; ++r)
        batch.requests.push_back({"r" + std::to_string(r),
                                  static_cast<std::uint32_t>(random.below(batch.workflows.size())),
                                  one_of<double>(random, {0.5, 1, 1, 1.5, 3}), Level::normal});
    return batch;
}

}  // namespace sy::plan::testing
