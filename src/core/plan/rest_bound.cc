// Three bounds, all from what each GPU has done so far. No job starts before the clock; a load may, but by no more than
// the longest load.
//
// Work: jobs confined to some GPUs must fit there behind what these did, with one load for each model that nobody
// holds. Ways: the jobs with at least q left behind them must all be done q before the end. Models: a model's first job
// waits for a place to load it, and its longest way to the end follows.
#include "core/plan/rest_bound.h"

#include <algorithm>
#include <numeric>

namespace sy::plan {

namespace {

/// More islands than this are not worth their time.
constexpr std::size_t kMostIslands = 6;

Small::Time share(Small::Time total, Small::Time among) {
    return (total + among - 1) / among;
}

/// When the work would be done if it could be cut at will, on GPUs that are free from then on: those that are not free
/// by that time have no part in it.
Small::Time level(const std::vector<Small::Time>& free, std::uint64_t gpus, Small::Time work) {
    for (Small::Time reached = Small::kFar;;) {
        Small::Time total = work;
        Small::Time used = 0;
        for (std::size_t g = 0; g < free.size(); ++g) {
            if ((gpus >> g & 1) == 0 || free[g] >= reached) continue;
            ++used;
            total += free[g];
        }
        const Small::Time next = share(total, used);
        if (next >= reached) return reached;
        reached = next;
    }
}

}  // namespace

RestBound::RestBound(const Small& small)
    : small_(small),
      can_start_(small.gpus().size()),
      can_load_(small.gpus().size()),
      sums_(small.gpus().size() + 1),
      held_(small.models().size()),
      counted_(small.models().size()),
      ways_(small.models().size()) {
    for (std::uint32_t j = 0; j < small.jobs().size(); ++j) by_way_.push_back(brief(small, j));
    std::stable_sort(by_way_.begin(), by_way_.end(), [](const Job& a, const Job& b) { return a.behind > b.behind; });
    std::vector<std::uint64_t> areas;
    std::uint64_t all = 0;
    for (const Small::Job& job : small.jobs()) {
        all |= job.gpus;
        if (areas.size() < kMostIslands && std::find(areas.begin(), areas.end(), job.gpus) == areas.end())
            areas.push_back(job.gpus);
    }
    std::erase(areas, all);
    areas.insert(areas.begin(), all);  // the one most likely to decide
    for (const std::uint64_t area : areas) {
        Island& island = islands_.emplace_back();
        island.gpus = area;
        for (std::uint32_t j = 0; j < small.jobs().size(); ++j)
            if ((small.jobs()[j].gpus & ~area) == 0) island.jobs.push_back(brief(small, j));
    }
}

RestBound::Job RestBound::brief(const Small& small, std::uint32_t job) {
    const Small::Job& full = small.jobs()[job];
    const std::uint32_t width = small.models()[full.model].width;
    return {job, full.model, width, full.least * width, full.behind, full.least + full.behind};
}

void RestBound::look_at_gpus(const Partial& partial) {
    std::fill(held_.begin(), held_.end(), false);
    for (std::uint32_t g = 0; g < can_start_.size(); ++g) {
        can_start_[g] = std::max(partial.gpu(g).free, partial.clock());
        can_load_[g] = std::max(partial.gpu(g).free, partial.clock() - small_.longest_load());
        held_[partial.gpu(g).model] = true;
    }
}

RestBound::Time RestBound::by_work(const Partial& partial, const Island& island) {
    ++round_;
    Time work = 0;
    Time loads = 0;
    for (const Job& job : island.jobs) {
        if (partial.done(job.number)) continue;
        work += job.work;
        if (held_[job.model] || counted_[job.model] == round_) continue;
        counted_[job.model] = round_;
        loads += small_.models()[job.model].least_load * job.width;
    }
    if (work == 0) return 0;
    const Time by_start = level(can_start_, island.gpus, work);
    return loads == 0 ? by_start : std::max(by_start, level(can_load_, island.gpus, work + loads));
}

RestBound::Time RestBound::by_ways_to_the_end(const Partial& partial) {
    std::sort(can_start_.begin(), can_start_.end());
    std::partial_sum(can_start_.begin(), can_start_.end(), sums_.begin() + 1);
    Time bound = 0;
    Time work = 0;
    std::size_t at_most = 0;  // GPUs that can be used by the jobs so far
    std::size_t used = 1;     // of those, the ones that are free before all is done
    for (const Job& job : by_way_) {
        if (partial.done(job.number)) continue;
        work += job.work;
        at_most = std::min(at_most + job.width, can_start_.size());
        Time all_done = share(sums_[used] + work, static_cast<Time>(used));
        while (used < at_most && can_start_[used] < all_done) {
            ++used;
            all_done = share(sums_[used] + work, static_cast<Time>(used));
        }
        bound = std::max(bound, all_done + job.behind);
    }
    return bound;
}

RestBound::Time RestBound::by_models(const Partial& partial) {
    std::fill(ways_.begin(), ways_.end(), 0);
    for (const Job& job : by_way_)
        if (!partial.done(job.number)) ways_[job.model] = std::max(ways_[job.model], job.way);
    Time bound = 0;
    for (std::uint32_t m = 1; m < ways_.size(); ++m) {
        if (ways_[m] == 0) continue;
        Time start = Small::kFar;
        for (const Small::Place& place : small_.models()[m].places)
            start = std::min(start, std::max(partial.soonest_held(m, place), partial.clock()));
        bound = std::max(bound, start + ways_[m]);
    }
    return bound;
}

RestBound::Time RestBound::operator()(const Partial& partial, Time best) {
    Time bound = partial.makespan();
    if (bound >= best) return bound;
    look_at_gpus(partial);
    for (const Island& island : islands_) {
        bound = std::max(bound, by_work(partial, island));
        if (bound >= best) return bound;
    }
    if (small_.longest_load() > 0) bound = std::max(bound, by_models(partial));
    return bound >= best ? bound : std::max(bound, by_ways_to_the_end(partial));
}

}  // namespace sy::plan
