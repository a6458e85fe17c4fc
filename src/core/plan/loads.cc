#include "core/plan/loads.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "core/plan/fleet.h"

namespace sy::plan {

bool is_independent(const Problem& problem) {
    for (const ModelSpec& model : problem.batch().models)
        if (model.gpus > 1) return false;
    for (const Workflow& workflow : problem.batch().workflows)
        for (const Step& step : workflow.steps)
            if (!step.needs.empty()) return false;
    return true;
}

Loads::Loads(const Problem& problem)
    : problem_(&problem),
      places_(problem.batch().models.size() + 1),
      ways_(problem.batch().kinds.size() * places_ * places_),
      runs_(problem.batch().gpus.size()),
      load_(runs_.size()),
      gpu_of_(problem.jobs().size()),
      slot_(problem.jobs().size()),
      has_room_(runs_.size(), std::vector<bool>(problem.batch().models.size())) {
    for (std::uint32_t kind = 0; kind < problem.batch().kinds.size(); ++kind)
        for (std::uint32_t from = 0; from < places_; ++from)
            for (std::uint32_t to = 1; to < places_; ++to) {
                const auto outgoing = from == 0 ? std::nullopt : std::optional(ModelId(from - 1));
                const Duration time = problem.switch_cost()(KindId(kind), outgoing, ModelId(to - 1));
                ways_[(kind * places_ + to) * places_ + from].in = time;
                ways_[(kind * places_ + from) * places_ + to].out = time;
            }
    for (const BatchGpu& gpu : problem.batch().gpus) {
        kind_of_.push_back(gpu.kind.value());
        links_.push_back({{gpu.holds ? place(*gpu.holds) : 0, {}}, {}});
    }
    for (std::uint32_t m = 0; m < problem.batch().models.size(); ++m)
        for (const GpuSpan& span : problem.spans(ModelId(m))) has_room_[span.first.value()][m] = true;
}

Duration Loads::longest() const {
    return load_.empty() ? Duration::zero() : *std::max_element(load_.begin(), load_.end());
}

bool Loads::can_run(JobIndex job, std::uint32_t gpu) const {
    return has_room_[gpu][problem_->jobs().model(job).value()] &&
           problem_->jobs().can_run_on(problem_->kind(GpuId(gpu)), job);
}

Loads::Gap Loads::best_gap(std::uint32_t gpu, ModelId model) const {
    const auto& links = links_[gpu];
    const Ways* const way = ways(gpu, place(model));
    Gap best{0, Duration::max()};
    for (std::size_t position = 0; position + 1 < links.size(); ++position) {
        const Link& behind = links[position + 1];
        const Duration cost = way[links[position].model].in + way[behind.model].out - behind.switch_in;
        if (cost < best.cost) best = {position, cost};
    }
    return best;
}

Loads::Gap Loads::gap_without(std::uint32_t gpu, ModelId model, std::size_t without, std::size_t position) const {
    const auto& links = links_[gpu];
    const Ways* const way = ways(gpu, place(model));
    if (position == without + 1) position = without;  // the same gap once the run is gone
    const bool bridged = position == without;
    const Link& behind = links[position + (bridged ? 2 : 1)];
    const Duration closed = bridged ? ways(gpu, behind.model)[links[position].model].in : behind.switch_in;
    return {position, way[links[position].model].in + way[behind.model].out - closed};
}

Loads::Gap Loads::best_gap_without(std::uint32_t gpu, ModelId model, std::size_t without) const {
    Gap best{0, Duration::max()};
    for (std::size_t position = 0; position + 1 < links_[gpu].size(); ++position) {
        const Gap gap = gap_without(gpu, model, without, position);
        if (gap.cost < best.cost) best = gap;
    }
    return best;
}

Duration Loads::saved_without(std::uint32_t gpu, std::size_t run) const {
    const Link& before = links_[gpu][run];
    const Link& behind = links_[gpu][run + 2];
    return links_[gpu][run + 1].switch_in + behind.switch_in - ways(gpu, behind.model)[before.model].in;
}

std::size_t Loads::run_of(std::uint32_t gpu, ModelId model) const {
    const auto& links = links_[gpu];
    std::size_t run = 0;
    while (run < runs_[gpu].size() && links[run + 1].model != place(model)) ++run;
    return run;
}

void Loads::set_switch_in(std::uint32_t gpu, std::size_t run) {
    Link& link = links_[gpu][run + 1];
    load_[gpu] -= link.switch_in;
    link.switch_in = ways(gpu, link.model)[links_[gpu][run].model].in;
    load_[gpu] += link.switch_in;
}

void Loads::enter(std::uint32_t gpu, std::size_t position, Run run) {
    const auto at = static_cast<std::ptrdiff_t>(position);
    links_[gpu].insert(links_[gpu].begin() + at + 1, {place(run.model), {}});
    runs_[gpu].insert(runs_[gpu].begin() + at, std::move(run));
    set_switch_in(gpu, position);
    set_switch_in(gpu, position + 1);
}

Run Loads::leave(std::uint32_t gpu, std::size_t position) {
    const auto at = static_cast<std::ptrdiff_t>(position);
    Run run = std::move(runs_[gpu][position]);
    load_[gpu] -= links_[gpu][position + 1].switch_in;
    links_[gpu].erase(links_[gpu].begin() + at + 1);
    runs_[gpu].erase(runs_[gpu].begin() + at);
    set_switch_in(gpu, position);
    return run;
}

void Loads::take_out(JobIndex job) {
    const std::uint32_t gpu = gpu_of_[job];
    const std::size_t at = run_of(gpu, problem_->jobs().model(job));
    Run& run = runs_[gpu][at];
    const Duration lasts = time(job, gpu);
    load_[gpu] -= lasts;
    if (run.jobs.size() == 1) {
        leave(gpu, at);
        return;
    }
    run.work -= lasts;
    slot_[run.jobs.back()] = slot_[job];
    run.jobs[slot_[job]] = run.jobs.back();
    run.jobs.pop_back();
}

void Loads::put_in(JobIndex job, std::uint32_t gpu) {
    const ModelId model = problem_->jobs().model(job);
    std::size_t at = run_of(gpu, model);
    if (at == runs_[gpu].size()) {
        at = best_gap(gpu, model).position;
        enter(gpu, at, Run{model, {}, {}});
    }
    Run& run = runs_[gpu][at];
    const Duration lasts = time(job, gpu);
    load_[gpu] += lasts;
    run.work += lasts;
    slot_[job] = static_cast<std::uint32_t>(run.jobs.size());
    run.jobs.push_back(job);
    gpu_of_[job] = gpu;
}

void Loads::move_run(std::uint32_t gpu, std::size_t run, std::size_t position) {
    Run moved = leave(gpu, run);
    enter(gpu, position > run ? position - 1 : position, std::move(moved));
}

std::vector<PlannedJob> Loads::plan() const {
    Fleet fleet(*problem_, true);
    std::vector<PlannedJob> planned;
    planned.reserve(gpu_of_.size());
    for (std::uint32_t gpu = 0; gpu < runs_.size(); ++gpu)
        for (const Run& run : runs_[gpu]) {
            auto jobs = run.jobs;
            std::sort(jobs.begin(), jobs.end());
            for (const JobIndex job : jobs) {
                planned.push_back(*fleet.offer(job, {GpuId(gpu), 1}, kStart));
                fleet.take(planned.back());
            }
        }
    return planned;
}

Loads loads_of(const Problem& problem, const std::vector<PlannedJob>& plan) {
    Loads loads(problem);
    std::vector<const PlannedJob*> in_order;
    for (const PlannedJob& job : plan) in_order.push_back(&job);
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const PlannedJob* a, const PlannedJob* b) { return a->start < b->start; });
    for (const PlannedJob* job : in_order) loads.put_in(job->job, job->gpus.first.value());
    return loads;
}

namespace {

bool all_alike(const Batch& batch, const Problem& problem) {
    if (batch.kinds.size() != 1) return false;
    for (std::uint32_t m = 0; m < batch.models.size(); ++m)
        if (problem.spans(ModelId(m)).size() != batch.gpus.size()) return false;
    return true;
}

/// Which GPU each job goes to when each is filled to this height; the last one takes what is left.
Loads filled_to(const Problem& problem, const std::vector<JobIndex>& by_model, Duration height) {
    Loads loads(problem);
    std::uint32_t gpu = 0;
    for (const JobIndex job : by_model) {
        const bool is_last = gpu + 1 == loads.gpu_count();
        if (!is_last && loads.load(gpu) + loads.time(job, gpu) / 2 > height) ++gpu;
        loads.put_in(job, gpu);
    }
    return loads;
}

}  // namespace

std::optional<Loads> wrapped_around(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    if (!all_alike(problem.batch(), problem)) return std::nullopt;
    std::vector<JobIndex> by_model(jobs.size());
    std::iota(by_model.begin(), by_model.end(), 0U);
    std::stable_sort(by_model.begin(), by_model.end(),
                     [&](JobIndex a, JobIndex b) { return jobs.model(a) < jobs.model(b); });
    Duration low{};
    Duration high = filled_to(problem, by_model, low).longest();
    while (high - low > std::max(Duration(1), high / 100'000)) {
        const Duration middle = low + (high - low) / 2;
        const Loads tried = filled_to(problem, by_model, middle);
        (tried.load(static_cast<std::uint32_t>(tried.gpu_count() - 1)) > middle ? low : high) = middle;
    }
    return filled_to(problem, by_model, high);
}

}  // namespace sy::plan
