#include "core/plan/replay.h"

#include <algorithm>
#include <utility>

#include "core/plan/dispatch.h"
#include "core/plan/fleet.h"

namespace sy::plan {

namespace {

constexpr std::size_t kStates = 16;

}  // namespace

Replay::Replay(const Problem& problem, Places places)
    : problem_(problem),
      places_(places),
      needs_(problem.jobs().size()),
      successors_(problem.jobs().size()),
      tail_(problem.jobs().size()),
      model_(problem.jobs().size()),
      place_(problem.jobs().size()),
      kept_(problem.jobs().size()),
      tried_(problem.jobs().size()),
      is_tried_(problem.jobs().size()),
      stride_(std::max<std::size_t>(1, problem.jobs().size() / kStates)),
      states_(problem.jobs().size() / stride_ + 1),
      tried_states_(states_.size()) {
    const Jobs& jobs = problem.jobs();
    const auto levels = bottom_levels(jobs);
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        jobs.for_each_need(job, [&](JobIndex need) { needs_[job].push_back(need); });
        jobs.for_each_successor(job, [&](JobIndex next) { successors_[job].push_back(next); });
        tail_[job] = (levels[job] - jobs.least_time(job)).count();
        model_[job] = jobs.model(job).value();
    }
    State start{std::vector<Gpu>(problem.batch().gpus.size()), 0};
    const Fleet fleet(problem, true);
    for (std::uint32_t gpu = 0; gpu < start.gpus.size(); ++gpu)
        if (const auto held = problem.batch().gpus[gpu].holds) start.gpus[gpu].held = held->value() + 1;
    for (std::uint32_t m = 0; m < problem.batch().models.size(); ++m)
        for (const GpuSpan& span : problem.spans(ModelId(m)))
            if (fleet.holds(span, ModelId(m)))
                for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) start.gpus[gpu.value()].group = span;
    std::fill(states_.begin(), states_.end(), start);
    std::fill(tried_states_.begin(), tried_states_.end(), start);
}

bool Replay::can_run(JobIndex job, std::uint32_t place) const {
    return problem_.time(job, problem_.spans(ModelId(model_[job]))[place]) >= Duration::zero();
}

Replay::Time Replay::switch_time(const Gpu& gpu, KindId kind, std::uint32_t model, const GpuSpan& span) const {
    if (gpu.held == model + 1 && gpu.group == span) return 0;
    const bool from_nothing = gpu.held == 0 || gpu.held == model + 1;  // another group's part is of no use
    const auto from = from_nothing ? std::nullopt : std::optional(ModelId(gpu.held - 1));
    return problem_.switch_cost()(kind, from, ModelId(model)).count();
}

Replay::Offer Replay::offer(const State& state, JobIndex job, const GpuSpan& span, Time ready, JobIndex cause) const {
    const Time lasts = problem_.time(job, span).count();
    if (lasts < 0) return {kTooLate, kTooLate, kNobody};
    Time free = 0;
    Time load = 0;
    JobIndex last = kNobody;
    for (GpuId id = span.first; id < span.end(); id = id.next()) {
        const Gpu& gpu = state.gpus[id.value()];
        if (gpu.free >= free) {
            free = gpu.free;
            last = gpu.last;
        }
        load = std::max(load, switch_time(gpu, problem_.kind(id), model_[job], span));
    }
    const Time start = std::max(ready, free + load);
    return {start + lasts, free, free + load > ready ? last : cause};
}

void Replay::take(State& state, JobIndex job, const GpuSpan& span, Time end) const {
    for (GpuId id = span.first; id < span.end(); id = id.next())
        state.gpus[id.value()] = {end, model_[job] + 1, span, job};
    state.makespan = std::max(state.makespan, end);
}

std::uint32_t Replay::soonest_place(const State& state, JobIndex job, Time ready) const {
    const auto& spans = problem_.spans(ModelId(model_[job]));
    std::uint32_t best = 0;
    Offer of_best{kTooLate, 0, kNobody};
    for (std::uint32_t place = 0; place < spans.size(); ++place) {
        const Offer tried = offer(state, job, spans[place], ready, kNobody);
        if (tried.end > of_best.end || (tried.end == of_best.end && tried.free <= of_best.free)) continue;
        best = place;
        of_best = tried;
    }
    return best;
}

Replay::Outcome Replay::play(std::size_t from, Time limit) {
    std::size_t at = from / stride_ * stride_;
    tried_from_ = at;
    State state = states_[at / stride_];
    for (std::size_t i = at; i < order_.size(); ++i) is_tried_[order_[i]] = true;
    Outcome outcome{kTooLate, 0};
    for (; at < order_.size(); ++at) {
        if (at % stride_ == 0) tried_states_[at / stride_] = state;
        const JobIndex job = order_[at];
        Time ready = 0;
        JobIndex cause = kNobody;
        for (const JobIndex need : needs_[job]) {
            const Time end = is_tried_[need] ? tried_[need].end : kept_[need].end;
            if (end <= ready) continue;
            ready = end;
            cause = need;
        }
        if (places_ == Places::soonest) place_[job] = soonest_place(state, job, ready);
        const GpuSpan& span = problem_.spans(ModelId(model_[job]))[place_[job]];
        const Offer taken = offer(state, job, span, ready, cause);
        if (taken.end + tail_[job] > limit) break;
        take(state, job, span, taken.end);
        tried_[job] = {taken.end, taken.cause, place_[job]};
    }
    for (std::size_t i = tried_from_; i < order_.size(); ++i) is_tried_[order_[i]] = false;
    if (at < order_.size()) return outcome;
    outcome.makespan = state.makespan;
    for (const Gpu& gpu : state.gpus) outcome.total += gpu.free;
    return outcome;
}

void Replay::keep() {
    for (std::size_t at = tried_from_; at < order_.size(); ++at) {
        kept_[order_[at]] = tried_[order_[at]];
        if (at % stride_ == 0) std::swap(states_[at / stride_], tried_states_[at / stride_]);
    }
}

std::vector<JobIndex> Replay::critical() const {
    JobIndex last = kNobody;
    for (const JobIndex job : order_)
        if (last == kNobody || kept_[job].end > kept_[last].end) last = job;
    std::vector<JobIndex> chain;
    for (; last != kNobody; last = kept_[last].cause) chain.push_back(last);
    return chain;
}

/// The switch before the job; nothing where all its GPUs hold the model as this group.
std::optional<SwitchTimes> Replay::load(const State& state, JobIndex job, const GpuSpan& span) const {
    bool is_held = true;
    Time free = 0;
    Time longest = 0;
    for (GpuId id = span.first; id < span.end(); id = id.next()) {
        const Gpu& gpu = state.gpus[id.value()];
        is_held = is_held && gpu.held == model_[job] + 1 && gpu.group == span;
        free = std::max(free, gpu.free);
        longest = std::max(longest, switch_time(gpu, problem_.kind(id), model_[job], span));
    }
    if (is_held) return std::nullopt;
    return SwitchTimes{kStart + Duration(free), kStart + Duration(free + longest)};
}

std::vector<PlannedJob> Replay::plan() const {
    State state = states_.front();
    std::vector<PlannedJob> planned;
    planned.reserve(order_.size());
    for (const JobIndex job : order_) {
        const GpuSpan& span = problem_.spans(ModelId(model_[job]))[kept_[job].place];
        const Instant end = kStart + Duration(kept_[job].end);
        planned.push_back({job, span, load(state, job, span), end - problem_.time(job, span), end});
        take(state, job, span, kept_[job].end);
    }
    return planned;
}

}  // namespace sy::plan
