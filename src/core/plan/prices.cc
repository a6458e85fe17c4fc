// The best prices are found by steps along the subgradient: a kind that would get more than its part of the work
// becomes dearer. Every step gives a true bound; the best one is kept.
#include "core/plan/prices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/plan/problem.h"

namespace sy::plan {

namespace {

constexpr int kSteps = 400;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// By kind: the GPU-seconds that a piece of work takes there, infinite where it cannot be done.
using Load = std::vector<double>;

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

/// The steps of all workflows, all requests taken together, and each model's first load. A model with a single job is
/// loaded where that job runs, so these two are one.
std::vector<Load> loads_of(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const Batch& batch = problem.batch();
    std::vector<std::size_t> jobs_of_model(batch.models.size());
    std::vector<std::optional<JobIndex>> sample(jobs.row_count());  // one job of each row
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        ++jobs_of_model[jobs.model(job).value()];
        sample[jobs.row(job)] = job;
    }
    std::vector<std::vector<bool>> has_room;
    std::vector<Load> first_load;
    for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
        has_room.push_back(problem.kinds_with_room(ModelId(m)));
        first_load.push_back(load_seconds(problem, ModelId(m)));
    }
    const auto add = [&](std::vector<Load>& loads, ModelId model, const auto& seconds_on) {
        Load& load = loads.emplace_back();
        for (std::uint32_t kind = 0; kind < batch.kinds.size(); ++kind)
            load.push_back(has_room[model.value()][kind] ? batch.models[model.value()].gpus * seconds_on(kind)
                                                         : kNever);
    };
    std::vector<Load> loads;
    const auto work = seconds_of_rows(problem);
    for (std::uint32_t row = 0; row < sample.size(); ++row) {
        if (!sample[row]) continue;
        const ModelId model = jobs.model(*sample[row]);
        const bool is_alone = jobs_of_model[model.value()] == 1;
        add(loads, model, [&](std::uint32_t kind) {
            if (!jobs.can_run_on(KindId(kind), *sample[row])) return kNever;
            return work[kind][row] + (is_alone ? first_load[model.value()][kind] : 0.0);
        });
    }
    for (std::uint32_t m = 0; m < batch.models.size(); ++m)
        if (jobs_of_model[m] > 1) add(loads, ModelId(m), [&](std::uint32_t kind) { return first_load[m][kind]; });
    return loads;
}

/// What all loads cost when each goes where it is cheapest.
class Market {
public:
    explicit Market(const Problem& problem) : loads_(loads_of(problem)), gpus_(problem.batch().kinds.size()) {
        for (const BatchGpu& gpu : problem.batch().gpus) gpus_[gpu.kind.value()] += 1;
    }

    const std::vector<double>& gpus() const { return gpus_; }

    struct Quote {
        double cost = 0;
        std::vector<double> busy;  ///< How long each kind would be.
    };
    Quote quote(const std::vector<double>& price) const {
        Quote quote{0, std::vector<double>(price.size())};
        for (const Load& load : loads_) {
            std::size_t cheapest = 0;
            for (std::size_t kind = 1; kind < price.size(); ++kind)
                if (cost(load, price, kind) < cost(load, price, cheapest)) cheapest = kind;
            if (load[cheapest] == kNever) continue;
            quote.cost += cost(load, price, cheapest);
            quote.busy[cheapest] += load[cheapest] / gpus_[cheapest];
        }
        return quote;
    }

private:
    double cost(const Load& load, const std::vector<double>& price, std::size_t kind) const {
        return load[kind] == kNever || gpus_[kind] == 0 ? kNever : price[kind] * load[kind];
    }

    std::vector<Load> loads_;
    std::vector<double> gpus_;
};

}  // namespace

Prices::Prices(const Problem& problem) {
    const Market market(problem);
    const std::size_t kinds = market.gpus().size();
    std::vector<double> share = market.gpus();
    double best = -1;
    for (int step = 0; step < (kinds > 1 ? kSteps : 1); ++step) {
        const double sum = std::accumulate(share.begin(), share.end(), 0.0);
        std::vector<double> price(kinds);
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            share[kind] /= sum;
            if (market.gpus()[kind] > 0) price[kind] = share[kind] / market.gpus()[kind];
        }
        const auto quote = market.quote(price);
        if (quote.cost > best) {
            best = quote.cost;
            price_ = price;
        }
        const double most = *std::max_element(quote.busy.begin(), quote.busy.end());
        const double pace = 1.0 / std::sqrt(1.0 + step);
        for (std::size_t kind = 0; kind < kinds && most > 0; ++kind)  // a factor, so that shares stay positive
            share[kind] *= std::exp(pace * (quote.busy[kind] / most - 0.5));
    }
    bound_ = Duration(static_cast<std::int64_t>(std::max(0.0, best) * 1e9 * (1 - 1e-9)));
}

}  // namespace sy::plan
