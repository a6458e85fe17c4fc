#include "core/plan/order_walk.h"

#include <algorithm>
#include <utility>

namespace sy::plan {

namespace {

constexpr std::uint64_t kFirstCycle = 20'000;
constexpr double kShareOfTotal = 0.02;

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
      cooling_(mean_time(problem.jobs()), problem.jobs().size(), kFirstCycle) {
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
        if (cooling_.step()) back_to_best();
        try_change();
    }
    return best_.makespan < before;
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
               kShareOfTotal * static_cast<double>(outcome.total) / static_cast<double>(problem_.batch().gpus.size());
    };
    const double most = price(now_) + cooling_.most(random_);
    const auto outcome = replay_.play(from, static_cast<Replay::Time>(std::min(most, 9e18)));
    if (outcome.makespan == Replay::kTooLate || price(outcome) > most) return false;
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
