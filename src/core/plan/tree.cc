// Problem: the number of plans is beyond counting even for ten jobs. Choice: grow plans job by job in order of start,
// and leave out whatever cannot, or need not, lead to a shorter plan. Cost: exponential all the same; a few dozen jobs
// where the bounds are good, some ten where loads differ from pair to pair.
//
// Why every plan that matters can be grown in order of start: in any plan a job starts no sooner than its needs and
// than those before it on its GPUs. So all jobs can be added by start, needs first where jobs take no time, each as
// soon as its place allows but not before the one added last (the clock). No start gets later than in the plan.
//
// What is left out, beyond what the bounds show to be too long:
//  - a job that its place could have started before the clock: it can be added sooner instead, and its GPUs are free
//    earlier. (Not jobs that take no time: nothing gets earlier by them.)
//  - of two jobs next to each other with the same start and no GPU or need between them, one order: lower label last.
//  - all but one of those jobs, requests and GPUs that nothing tells apart at this point.
//  - where loads cost nothing: a job that starts when another ready one could be over. The other would fit before it.
//  - what Dominance has seen as good.
// Of the partial plans with the same jobs, take one that none beats in Dominance's order. By induction its parent, or
// one as good, is followed; and none of the rules leaves the child out, since each names a plan that beats it: its GPUs
// are free earlier, or all is the same and the last label is lower. Labels are shared by jobs that nothing tells apart,
// so the rules do not disturb each other.
#include "core/plan/tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace sy::plan {

namespace {

/// Asking whether to go on may mean reading a clock.
constexpr std::uint64_t kNodesBetweenQuestions = 256;

}  // namespace

Tree::Tree(const Small& small, Time best, Time good_enough, const Budget& budget, std::function<void(Time)> improved)
    : small_(small),
      budget_(budget),
      improved_(std::move(improved)),
      partial_(small),
      rest_bound_(small),
      dominance_(small),
      best_(best),
      good_enough_(good_enough),
      proven_(best),
      alike_(small.gpus().size()) {
    explore(std::max(good_enough, rest_bound_(partial_, best)));
    proven_ = std::min(proven_, best_);
}

bool Tree::out_of_budget() {
    if (stopped_) return true;
    stopped_ = best_ <= good_enough_ || looks_ >= budget_.looks ||
               (nodes_ % kNodesBetweenQuestions == 0 && !budget_.keep_going());
    ++nodes_;
    return stopped_;
}

void Tree::explore(Time bound) {
    if (bound >= best_) return;
    if (partial_.complete()) {
        take_as_best();
        return;
    }
    if (out_of_budget()) {
        proven_ = std::min(proven_, bound);
        return;
    }
    const auto all = branches();
    bound = std::max(bound, node_bound_);
    for (const Branch& branch : all) follow(branch, bound);
}

void Tree::follow(const Branch& branch, Time bound) {
    if (bound >= best_) return;
    partial_.add(branch.job, branch.place, branch.start);
    const Small::Job& job = small_.jobs()[branch.job];
    looks_ += small_.jobs().size();
    bound = std::max({bound, partial_.end(branch.job) + job.behind, rest_bound_(partial_, best_)});
    if (bound < best_ && (partial_.complete() || stopped_ || !dominance_.seen_as_good(partial_))) explore(bound);
    partial_.take_back();
}

void Tree::take_as_best() {
    best_ = partial_.makespan();
    order_ = partial_.order();
    improved_(best_);
}

std::vector<Tree::Branch> Tree::branches() {
    find_alike();
    node_bound_ = 0;
    first_end_ = Small::kFar;
    std::vector<Branch> branches;
    for (std::uint32_t job = 0; job < small_.jobs().size(); ++job)
        if (partial_.ready(job) && has_its_turn(job)) add_branches(job, branches);
    if (small_.longest_load() == 0)
        std::erase_if(branches, [this](const Branch& branch) { return branch.start >= first_end_; });
    std::sort(branches.begin(), branches.end(), [this](const Branch& a, const Branch& b) {
        const auto key = [this](const Branch& branch) {
            const Small::Job& job = small_.jobs()[branch.job];
            return std::tuple(branch.start, -job.least - job.behind, branch.place.lasts, branch.job,
                              branch.place.first);
        };
        return key(a) < key(b);
    });
    return branches;
}

void Tree::add_branches(std::uint32_t job, std::vector<Branch>& branches) {
    const Small::Job& added = small_.jobs()[job];
    const Time ready = partial_.needs_end(job);
    Time soonest_end = Small::kFar;
    looks_ += added.places.size();
    for (const Small::Place& place : added.places) {
        if (alike_[place.first]) continue;
        const Time earliest = partial_.earliest(added.model, place, ready);
        const Branch branch{job, place, std::max(earliest, partial_.clock())};
        const Time end = branch.start + place.lasts;
        soonest_end = std::min(
            soonest_end, std::max({partial_.soonest_held(added.model, place), ready, partial_.clock()}) + place.lasts);
        if (added.takes_time) first_end_ = std::min(first_end_, earliest + place.lasts);
        if (added.takes_time && earliest < partial_.clock()) continue;
        if (end + added.behind >= best_ || out_of_order(branch)) continue;
        branches.push_back(branch);
    }
    node_bound_ = std::max(node_bound_, soonest_end + added.behind);
}

bool Tree::has_its_turn(std::uint32_t job) const {
    const Small::Job& asked = small_.jobs()[job];
    if (asked.twin != Small::kNone && !partial_.done(asked.twin)) return false;
    const std::uint32_t twin = small_.request_twins()[asked.request];
    return twin == Small::kNone || partial_.begun(twin) || partial_.begun(asked.request);
}

bool Tree::out_of_order(const Branch& branch) const {
    if (partial_.order().empty() || branch.start != partial_.clock()) return false;
    const Partial::Added& last = partial_.order().back();
    const Small::Job& job = small_.jobs()[branch.job];
    if (job.label <= small_.jobs()[last.job].label) return false;
    const bool apart = branch.place.end <= last.place.first || last.place.end <= branch.place.first;
    return apart && !std::binary_search(job.needs.begin(), job.needs.end(), last.job);
}

/// Times that no longer matter tell nothing apart (dominance.cc).
void Tree::find_alike() {
    const Time matters_from = partial_.clock() - small_.longest_load();
    const auto free = [&](std::uint32_t g) { return std::max(partial_.gpu(g).free, matters_from); };
    for (std::uint32_t g = 0; g < alike_.size(); ++g) {
        alike_[g] = false;
        for (std::uint32_t other = small_.gpus()[g].family; other < g && !alike_[g]; ++other)
            alike_[g] = small_.gpus()[other].family == small_.gpus()[g].family && free(other) == free(g) &&
                        partial_.gpu(other).model == partial_.gpu(g).model;
    }
}

}  // namespace sy::plan
