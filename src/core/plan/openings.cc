// Problem: a job put between two others must not disturb the later one, yet that one may need another switch now: the
// GPU no longer holds what it held, and a gang that loses one GPU must load on all. Choice: the later job keeps its
// start. Its switch becomes as long as it must be and ends at that start; the new job has to be over before. Where the
// new job brings the very model that the next one loads, that switch falls away and its time is room as well.
//
// A gang looks for openings on all its GPUs that overlap: from one for each GPU, the one that ends first is passed over
// until the job fits. For one GPU this is a walk through its openings.
//
// Cost: each GPU remembers its kMostOpenings longest openings, found by bisection; a forgotten one stays idle. The
// switch of a gang behind an opening is never moved to before its old start where it has GPUs outside the new job's,
// since what precedes it there is not looked up.
#include "core/plan/openings.h"

#include <algorithm>

namespace sy::plan {

namespace {

constexpr std::size_t kMostOpenings = 16;

Instant takes_gpus_at(const PlannedJob& job) {
    return job.load ? job.load->start : job.start;
}

}  // namespace

Openings::Openings(const Problem& problem)
    : problem_(problem),
      at_start_(problem, true),
      rows_(problem.batch().gpus.size(), Row(1)),
      planned_(problem.jobs().size()) {
    for (JobIndex job = 0; job < problem.jobs().size(); ++job)
        shortest_ = std::min(shortest_, problem.jobs().least_time(job));
}

std::optional<PlannedJob> Openings::offer(JobIndex job, const GpuSpan& span, Instant ready, Instant by) {
    const Duration lasts = problem_.time(job, span);
    if (lasts < Duration::zero() || ready + lasts > by) return std::nullopt;
    window_.clear();
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        const Row& row = rows_[gpu.value()];
        window_.push_back(&*std::partition_point(row.begin(), row.end() - 1,
                                                 [&](const Opening& opening) { return opening.end < ready + lasts; }));
    }
    while (true) {
        if (const auto found = fit(job, span, ready, lasts)) return found->end <= by ? found : std::nullopt;
        const auto latest = [](const Opening* a, const Opening* b) { return a->begin < b->begin; };
        if ((*std::max_element(window_.begin(), window_.end(), latest))->begin + lasts > by) return std::nullopt;
        ++*std::min_element(window_.begin(), window_.end(),
                            [](const Opening* a, const Opening* b) { return a->end < b->end; });
    }
}

/// In the openings of the window; always where all are endless.
std::optional<PlannedJob> Openings::fit(JobIndex job, const GpuSpan& span, Instant ready, Duration lasts) const {
    Instant free = kStart;
    Instant until = kNever;
    for (const Opening* opening : window_) {
        free = std::max(free, opening->begin);
        until = std::min(until, opening->end);
    }
    if (std::max(free, ready) + lasts > until) return std::nullopt;
    PlannedJob planned{job, span, std::nullopt, std::max(free, ready), {}};
    const ModelId model = problem_.jobs().model(job);
    if (!is_held(span, model)) {
        planned.load = SwitchTimes{free, free + switch_time(span, model)};
        planned.start = std::max(planned.start, planned.load->end);
    }
    planned.end = planned.start + lasts;
    if (planned.end > until) return std::nullopt;
    for (const Opening* opening : window_)
        if (opening->behind && !leaves_room(planned, *opening)) return std::nullopt;
    return planned;
}

bool Openings::is_held(const GpuSpan& span, ModelId model) const {
    const auto before = window_.front()->before;
    for (const Opening* opening : window_)
        if (opening->before != before) return false;
    if (!before) return at_start_.holds(span, model);
    return planned_[*before].gpus == span && problem_.jobs().model(*before) == model;
}

Duration Openings::switch_time(const GpuSpan& span, ModelId model) const {
    Duration slowest{};
    for (std::uint32_t i = 0; i < span.count; ++i) {
        const GpuId gpu(span.first.value() + i);
        const auto before = window_[i]->before;
        auto from = before ? std::optional(problem_.jobs().model(*before)) : problem_.batch().gpus[gpu.value()].holds;
        if (from == model) from.reset();  // another group's part is of no use
        slowest = std::max(slowest, problem_.switch_cost()(problem_.kind(gpu), from, model));
    }
    return slowest;
}

bool Openings::leaves_room(const PlannedJob& job, const Opening& opening) const {
    // One that takes no time must not fall on the end: who came first there could not be told.
    if (job.start == job.end && job.end == opening.end) return false;
    const PlannedJob& behind = planned_[*opening.behind];
    if (hands_over(job, behind)) return job.end <= behind.start;
    const SwitchTimes load = reload(job, behind);
    const bool reaches_out = behind.gpus.first < job.gpus.first || job.gpus.end() < behind.gpus.end();
    return job.end <= load.start && !(reaches_out && behind.load && load.start < behind.load->start);
}

/// Whether the job behind finds its model held by its own group, so that it needs no switch.
bool Openings::hands_over(const PlannedJob& job, const PlannedJob& behind) const {
    return behind.gpus == job.gpus && problem_.jobs().model(behind.job) == problem_.jobs().model(job.job) &&
           std::all_of(window_.begin(), window_.end(),
                       [&](const Opening* opening) { return opening->behind == behind.job; });
}

/// The switch of the job behind, once this one has run before it on some of its GPUs or all.
SwitchTimes Openings::reload(const PlannedJob& job, const PlannedJob& behind) const {
    const ModelId model = problem_.jobs().model(job.job);
    const ModelId next = problem_.jobs().model(behind.job);
    Duration slowest = behind.load ? behind.load->end - behind.load->start : Duration::zero();
    for (GpuId gpu = behind.gpus.first; gpu < behind.gpus.end(); gpu = gpu.next()) {
        const bool changes = job.gpus.contains(gpu);
        if (!changes && behind.load) continue;  // as before
        const auto from = changes && model != next ? std::optional(model) : std::nullopt;
        slowest = std::max(slowest, problem_.switch_cost()(problem_.kind(gpu), from, next));
    }
    return {behind.start - slowest, behind.start};
}

void Openings::take(const PlannedJob& job) {
    window_.clear();
    for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
        const Row& row = rows_[gpu.value()];
        const auto after = std::partition_point(
            row.begin(), row.end(), [&](const Opening& opening) { return opening.begin <= takes_gpus_at(job); });
        window_.push_back(&*(after - 1));
    }
    planned_[job.job] = job;
    for (const Opening* opening : window_) {
        if (!opening->behind) continue;
        PlannedJob& behind = planned_[*opening->behind];
        if (hands_over(job, behind)) {
            behind.load.reset();
        } else {
            behind.load = reload(job, behind);
        }
    }
    for (std::uint32_t i = 0; i < job.gpus.count; ++i) {
        Row& row = rows_[job.gpus.first.value() + i];
        split(row, static_cast<std::size_t>(window_[i] - row.data()), job);
    }
}

/// The job parts an opening in two, which are kept if they are of use and there is space for them.
void Openings::split(Row& row, std::size_t at, const PlannedJob& job) const {
    const Opening ahead{row[at].begin, job.start, row[at].before, job.job};
    const auto is_useful = [this](const Opening& opening) {
        return opening.end > opening.begin && opening.end - opening.begin >= shortest_;
    };
    row[at].begin = job.end;
    row[at].before = job.job;
    if (row[at].behind && !is_useful(row[at])) row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
    if (is_useful(ahead)) row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), ahead);
    if (row.size() <= kMostOpenings + 1) return;
    row.erase(std::min_element(row.begin(), row.end() - 1,
                               [](const Opening& a, const Opening& b) { return a.end - a.begin < b.end - b.begin; }));
}

}  // namespace sy::plan
