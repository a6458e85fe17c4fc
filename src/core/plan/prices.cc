// The best prices are found by steps along the subgradient: a kind that would get more than its part of the work
// becomes dearer. Every step gives a true bound; the best one is kept.
#include "core/plan/prices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/plan/problem.h"

namespace sy::plan {

namespace {

constexpr int kSteps = 400;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Work that can be done by any kind with a finite time: GPU-seconds there.
struct Load {
    std::vector<double> seconds;
};

std::vector<bool> kinds_with_room(const Problem& problem, ModelId model) {
    std::vector<bool> has_room(problem.batch().kinds.size());
    for (const GpuSpan& span : problem.spans(model))
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) has_room[problem.kind(gpu).value()] = true;
    return has_room;
}

/// The least that loading the model costs on a GPU of each kind; zero where some GPU holds it at time 0.
std::vector<double> load_seconds(const Problem& problem, ModelId model) {
    const Batch& batch = problem.batch();
    std::vector<double> seconds(batch.kinds.size());
    for (const BatchGpu& gpu : batch.gpus)
        if (gpu.holds == model) return seconds;
    for (std::uint32_t kind = 0; kind < seconds.size(); ++kind) {
        Duration least = problem.switch_cost()(KindId(kind), std::nullopt, model);
        for (std::uint32_t from = 0; from < batch.models.size(); ++from)
            if (ModelId(from) != model)
                least = std::min(least, problem.switch_cost()(KindId(kind), ModelId(from), model));
        seconds[kind] = to_seconds(least);
    }
    return seconds;
}

/// By kind and row of jobs: what all its jobs take together, each in whole nanoseconds as it will run.
std::vector<std::vector<double>> seconds_of_rows(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    std::vector<std::vector<double>> seconds(problem.batch().kinds.size(), std::vector<double>(jobs.row_count()));
    for (std::uint32_t kind = 0; kind < seconds.size(); ++kind)
        for (JobIndex job = 0; job < jobs.size(); ++job)
            if (jobs.can_run_on(KindId(kind), job))
                seconds[kind][jobs.row(job)] += to_seconds(jobs.time(KindId(kind), job));
    return seconds;
}

/// One load for each step of each workflow, of all requests together, and one for loading each model once. A model with
/// one step in one request is loaded where that step runs.
std::vector<Load> loads_of(const Problem& problem) {
    const Batch& batch = problem.batch();
    std::vector<std::size_t> requests(batch.workflows.size());
    for (const Request& request : batch.requests) ++requests[request.workflow];
    std::vector<std::size_t> jobs(batch.models.size());
    for (std::size_t w = 0; w < batch.workflows.size(); ++w)
        for (const Step& step : batch.workflows[w].steps) jobs[step.model.value()] += requests[w];
    const auto work = seconds_of_rows(problem);
    std::vector<Load> loads;
    std::size_t row = 0;
    for (std::size_t w = 0; w < batch.workflows.size(); ++w) {
        for (const Step& step : batch.workflows[w].steps) {
            const std::size_t own = row++;
            if (requests[w] == 0) continue;
            const auto has_room = kinds_with_room(problem, step.model);
            const auto switching = load_seconds(problem, step.model);
            const double width = batch.models[step.model.value()].gpus;
            Load load;
            for (std::size_t kind = 0; kind < batch.kinds.size(); ++kind) {
                const bool able = has_room[kind] && step.seconds[kind];
                double seconds = able ? work[kind][own] : kNever;
                if (jobs[step.model.value()] == 1) seconds += switching[kind];
                load.seconds.push_back(width * seconds);
            }
            loads.push_back(std::move(load));
        }
    }
    for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
        if (jobs[m] < 2) continue;
        Load load{load_seconds(problem, ModelId(m))};
        const auto has_room = kinds_with_room(problem, ModelId(m));
        for (std::size_t kind = 0; kind < has_room.size(); ++kind)
            load.seconds[kind] = has_room[kind] ? load.seconds[kind] * batch.models[m].gpus : kNever;
        loads.push_back(std::move(load));
    }
    return loads;
}

}  // namespace

Prices::Prices(const Problem& problem) {
    const std::size_t kinds = problem.batch().kinds.size();
    std::vector<double> gpus(kinds);
    for (const BatchGpu& gpu : problem.batch().gpus) gpus[gpu.kind.value()] += 1;
    const auto loads = loads_of(problem);
    std::vector<double> share(kinds);
    for (std::size_t kind = 0; kind < kinds; ++kind)
        share[kind] = gpus[kind] / static_cast<double>(problem.batch().gpus.size());
    double best = -1;
    for (int step = 0; step < kSteps; ++step) {
        std::vector<double> busy(kinds);  // how long each kind would be, if all went where it is cheapest
        double cost = 0;
        for (const Load& load : loads) {
            std::size_t cheapest = 0;
            double least = kNever;
            for (std::size_t kind = 0; kind < kinds; ++kind) {
                if (load.seconds[kind] == kNever || gpus[kind] == 0) continue;
                const double price = share[kind] / gpus[kind] * load.seconds[kind];
                if (price >= least) continue;
                least = price;
                cheapest = kind;
            }
            if (least == kNever) continue;
            cost += least;
            busy[cheapest] += load.seconds[cheapest] / gpus[cheapest];
        }
        if (cost > best) {
            best = cost;
            price_.assign(kinds, 0);
            for (std::size_t kind = 0; kind < kinds; ++kind)
                if (gpus[kind] > 0) price_[kind] = share[kind] / gpus[kind];
        }
        // Multiplied, so that shares stay positive, then brought back to a sum of one.
        const double most = *std::max_element(busy.begin(), busy.end());
        const double pace = 1.0 / std::sqrt(1.0 + step);
        double sum = 0;
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            if (most > 0) share[kind] *= std::exp(pace * (busy[kind] / most - 0.5));
            sum += share[kind];
        }
        for (double& s : share) s /= sum;
    }
    bound_ = Duration(static_cast<std::int64_t>(std::max(0.0, best) * 1e9 * (1 - 1e-9)));
}

}  // namespace sy::plan
