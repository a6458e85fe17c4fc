#include "core/plan/order_walk.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sy::plan {

namespace {

std::uint64_t first_cycle(const Jobs& jobs) {
    return std::clamp<std::uint64_t>(200 * jobs.size(), 2'000, 20'000);
}

/// Of the mean end of all GPUs against the last, cycle by cycle. Where all are busy to the end, none can end sooner
/// unless all do; where a chain of needs is in the way, the mean only distracts.
constexpr double kMuch = 2;
constexpr double kLittle = 0.02;
constexpr double kShareOfExchanges = 0.1;
constexpr double kShareOfDissolved = 0.02;

double mean_time(const Jobs& jobs) {
    double total = 0;
    for (JobIndex job = 0; job < jobs.size(); ++job) total += static_cast<double>(jobs.least_time(job).count());
    return total / static_cast<double>(std::max<std::size_t>(jobs.size(), 1));
}

}  // namespace

OrderWalk::OrderWalk(const Problem& problem, const std::vector<PlannedJob>& plan, Replay::Places places,
                     std::uint64_t seed)
    : problem_(problem),
      replay_(problem, places),
      gives_places_(places == Replay::Places::given),
      position_(problem.jobs().size()),
      of_model_(problem.batch().models.size()),
      random_(seed),
      weight_of_mean_(kMuch),
      mean_time_(mean_time(problem.jobs())),
      cooling_(mean_time_, problem.jobs().size(), first_cycle(problem.jobs())) {
    begin_with(plan);
    for (JobIndex job = 0; job < position_.size(); ++job) of_model_[problem.jobs().model(job).value()].push_back(job);
}

void OrderWalk::begin_with(const std::vector<PlannedJob>& plan) {
    std::vector<const PlannedJob*> in_order;
    for (const PlannedJob& job : plan) in_order.push_back(&job);
    // Of jobs that take no time, those that others need come first: they have the lower level.
    std::stable_sort(in_order.begin(), in_order.end(), [this](const PlannedJob* a, const PlannedJob* b) {
        return a->start != b->start ? a->start < b->start
                                    : problem_.jobs().level(a->job) < problem_.jobs().level(b->job);
    });
    replay_.order().clear();
    for (const PlannedJob* job : in_order) {
        const auto& spans = problem_.spans(problem_.jobs().model(job->job));
        const auto span = std::find(spans.begin(), spans.end(), job->gpus);
        replay_.place()[job->job] = static_cast<std::uint32_t>(span - spans.begin());
        replay_.order().push_back(job->job);
    }
    number(0, replay_.order().size());
    now_ = replay_.play(0, Replay::kTooLate - 1);
    replay_.keep();
    critical_ = replay_.critical();
    best_ = {now_.makespan, replay_.order(), replay_.place()};
}

void OrderWalk::number(std::size_t from, std::size_t end) {
    for (std::size_t at = from; at < end; ++at) position_[replay_.order()[at]] = at;
}

bool OrderWalk::go(std::uint64_t changes) {
    const Replay::Time before = best_.makespan;
    if (position_.empty()) return false;
    for (; changes > 0; --changes) {
        if (cooling_.step()) begin_cycle();
        if (gives_places_ && random_.chance(kShareOfExchanges))
            try_exchange();
        else if (gives_places_ && random_.chance(kShareOfDissolved))
            try_dissolve();
        else
            try_change();
    }
    return best_.makespan < before;
}

void OrderWalk::begin_cycle() {
    weight_of_mean_ = weight_of_mean_ == kMuch ? kLittle : kMuch;
    back_to_best();
}

void OrderWalk::back_to_best() {
    replay_.order() = best_.order;
    replay_.place() = best_.place;
    number(0, position_.size());
    now_ = replay_.play(0, Replay::kTooLate - 1);
    replay_.keep();
    critical_ = replay_.critical();
}

void OrderWalk::try_change() {
    const JobIndex job = random_.chance(0.5) ? critical_[random_.below(critical_.size())]
                                             : static_cast<JobIndex>(random_.below(position_.size()));
    const std::uint32_t old_place = replay_.place()[job];
    const std::size_t old_position = position_[job];
    std::size_t position = old_position;
    if (gives_places_ && random_.chance(0.6)) {
        const JobIndex other = one_of_its_model(job);
        if (random_.chance(0.5) && other != job) {
            replay_.place()[job] = replay_.place()[other];
            position = position_[other];
        } else {
            replay_.place()[job] =
                static_cast<std::uint32_t>(random_.below(problem_.spans(problem_.jobs().model(job)).size()));
        }
        if (!replay_.can_run(job, replay_.place()[job])) {
            replay_.place()[job] = old_place;
            return;
        }
    }
    const auto [first, last] = window(job);
    if (position == old_position && (replay_.place()[job] == old_place || random_.chance(0.5)))
        position = first + random_.below(last - first + 1);
    position = std::clamp(position, first, last);
    if (position == old_position && replay_.place()[job] == old_place) return;
    move(old_position, position);
    if (judge(std::min(position, old_position))) return;
    replay_.place()[job] = old_place;
    move(position, old_position);
}

/// From some job on, for a while or to the end, two GPUs exchange all that they do.
void OrderWalk::try_exchange() {
    const JobIndex job = critical_[random_.below(critical_.size())];
    const GpuSpan& span = span_of(job);
    const GpuId other(static_cast<std::uint32_t>(random_.below(problem_.batch().gpus.size())));
    if (span.count > 1 || other == span.first) return;
    const std::size_t from = position_[job];
    const std::size_t end = random_.chance(0.5) ? position_.size() : from + 1 + random_.below(position_.size() - from);
    if (exchange(span.first, other, from, end) && judge(from)) return;
    put_back();
}

void OrderWalk::put_back() {
    for (const auto& [job, place] : moved_) replay_.place()[job] = place;
}

/// A whole run of one model on one GPU goes to the GPUs that have the model at the time, and with it its switch.
void OrderWalk::try_dissolve() {
    const JobIndex chosen = static_cast<JobIndex>(random_.below(position_.size()));
    const auto [first, last] = run_around(chosen);
    const std::uint32_t home = replay_.place()[chosen];
    const ModelId model = problem_.jobs().model(chosen);
    moved_.clear();
    std::optional<std::uint32_t> elsewhere;
    for (std::size_t at = 0; at <= last; ++at) {
        const JobIndex job = replay_.order()[at];
        if (problem_.jobs().model(job) != model) continue;
        if (replay_.place()[job] != home) {
            elsewhere = replay_.place()[job];
        } else if (at >= first) {
            if (!elsewhere || !replay_.can_run(job, *elsewhere)) return put_back();
            moved_.emplace_back(job, home);
            replay_.place()[job] = *elsewhere;
        }
    }
    if (!judge(first)) put_back();
}

/// Positions of the first and the last job of the run on the first GPU of the job's place.
std::pair<std::size_t, std::size_t> OrderWalk::run_around(JobIndex job) const {
    const GpuId gpu = span_of(job).first;
    const ModelId model = problem_.jobs().model(job);
    std::pair<std::size_t, std::size_t> run{position_[job], position_[job]};
    const auto goes_on = [&](std::size_t at, std::size_t& end) {
        const JobIndex other = replay_.order()[at];
        if (!span_of(other).contains(gpu)) return true;
        if (problem_.jobs().model(other) != model) return false;
        end = at;
        return true;
    };
    for (std::size_t at = position_[job]; at-- > 0 && goes_on(at, run.first);) {
    }
    for (std::size_t at = position_[job] + 1; at < position_.size() && goes_on(at, run.second); ++at) {
    }
    return run;
}

/// False where that cannot be, with only some of them exchanged.
bool OrderWalk::exchange(GpuId a, GpuId b, std::size_t from, std::size_t end) {
    moved_.clear();
    for (std::size_t at = from; at < end; ++at) {
        const JobIndex job = replay_.order()[at];
        const GpuSpan& span = span_of(job);
        if (!span.contains(a) && !span.contains(b)) continue;
        if (span.count > 1) return false;
        const auto& spans = problem_.spans(problem_.jobs().model(job));
        const GpuSpan wanted{span.first == a ? b : a, 1};
        const auto found = std::lower_bound(spans.begin(), spans.end(), wanted,
                                            [](const GpuSpan& x, const GpuSpan& y) { return x.first < y.first; });
        if (found == spans.end() || *found != wanted || problem_.time(job, wanted) < Duration::zero()) return false;
        moved_.emplace_back(job, replay_.place()[job]);
        replay_.place()[job] = static_cast<std::uint32_t>(found - spans.begin());
    }
    return true;
}

const GpuSpan& OrderWalk::span_of(JobIndex job) const {
    return problem_.spans(problem_.jobs().model(job))[replay_.place()[job]];
}

JobIndex OrderWalk::one_of_its_model(JobIndex job) {
    const auto& all = of_model_[problem_.jobs().model(job).value()];
    return all[random_.below(all.size())];
}

/// Between which positions the job may stand.
std::pair<std::size_t, std::size_t> OrderWalk::window(JobIndex job) const {
    std::size_t first = 0;
    std::size_t last = position_.size() - 1;
    for (const JobIndex need : replay_.needs(job)) first = std::max(first, position_[need] + 1);
    for (const JobIndex next : replay_.successors(job)) last = std::min(last, position_[next] - 1);
    return {first, last};
}

void OrderWalk::move(std::size_t from, std::size_t to) {
    const auto at = [this](std::size_t i) { return replay_.order().begin() + static_cast<std::ptrdiff_t>(i); };
    if (from < to)
        std::rotate(at(from), at(from + 1), at(to + 1));
    else
        std::rotate(at(to), at(from), at(from + 1));
    number(std::min(from, to), std::max(from, to) + 1);
}

bool OrderWalk::judge(std::size_t from) {
    const auto price = [this](const Replay::Outcome& outcome) {
        return static_cast<double>(outcome.makespan) +
               weight_of_mean_ * static_cast<double>(outcome.total) / static_cast<double>(problem_.batch().gpus.size());
    };
    const double rise = cooling_.most(random_);
    // One job more or less hardly moves the mean, so a much later end is given up before it is known.
    const double latest = static_cast<double>(now_.makespan) + rise + mean_time_;
    const auto outcome = replay_.play(from, static_cast<Replay::Time>(std::min(latest, 9e18)));
    if (outcome.makespan == Replay::kTooLate || price(outcome) > price(now_) + rise) return false;
    replay_.keep();
    now_ = outcome;
    critical_ = replay_.critical();
    if (now_.makespan < best_.makespan) best_ = {now_.makespan, replay_.order(), replay_.place()};
    return true;
}

std::vector<PlannedJob> OrderWalk::plan() {
    back_to_best();
    return replay_.plan();
}

}  // namespace sy::plan
