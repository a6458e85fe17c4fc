// The parts are found by progressive filling, in doubles; amounts are then rounded down in whole units, and what is
// left is never exceeded, so no rounding can hand out more than there is.
//
// Whole tasks: everybody gets the whole tasks of its part, then what is left goes out task by task to whoever's
// dominant share by weight is least, as Ghodsi et al. hand out all of them, until none fits. Theirs alone would not
// promise the whole part of a share; this does. In a tree the weight is the product down the tree: at this point only
// the odd tasks are decided. A party whose single task is larger than the cluster takes no part, or it would hold back
// what it can never use.
//
// Cost: that of progressive filling; for whole tasks a step of a heap for each odd task.
#include "core/allocate/drf.h"

#include <cmath>
#include <queue>

#include <fmt/core.h>

#include "core/allocate/progressive_filling.h"
#include "core/model/limits.h"

namespace sy::allocate {

namespace {

/// So that 2.9999999999 of what is meant to be 3 is 3.
constexpr double kGrain = 1e-6;

std::optional<Error> find_limit(const Situation& situation) {
    const std::size_t size = situation.parties.size() + situation.groups.size();
    if (size <= kMostInDrf) return std::nullopt;
    return Error{Fault::invalid_input, fmt::format("{} parties and groups, drf takes {}", size, kMostInDrf),
                 "use max-min"};
}

Ceiling ceiling_of(const Filled& filled, const Amounts& capacity) {
    if (!filled.scarce) return Ceiling::none;
    return capacity[*filled.scarce] == 0 ? Ceiling::capacity : Ceiling::share;
}

/// By party: its weight among its siblings, times that of its group, and so on up.
std::vector<double> collapsed_weights(const Situation& situation) {
    const std::size_t root = situation.groups.size();
    std::vector<double> members(root + 1);
    for (const Group& group : situation.groups)
        members[group.parent.value_or(root)] += static_cast<double>(group.weight);
    for (const Party& party : situation.parties)
        members[party.group.value_or(root)] += static_cast<double>(party.weight);
    std::vector<double> of_group(root + 1, 1.0);
    for (std::size_t g = 0; g < root; ++g) {
        const std::size_t parent = situation.groups[g].parent.value_or(root);
        of_group[g] = of_group[parent] * static_cast<double>(situation.groups[g].weight) / members[parent];
    }
    std::vector<double> weights;
    for (const Party& party : situation.parties) {
        const std::size_t group = party.group.value_or(root);
        weights.push_back(of_group[group] * static_cast<double>(party.weight) / members[group]);
    }
    return weights;
}

/// What stands between a party and one more task.
std::optional<Resource> missing(const Amounts& task, const Amounts& left) {
    for (const Resource resource : kResources)
        if (task[resource] > left[resource]) return resource;
    return std::nullopt;
}

Situation without_oversized(Situation situation) {
    for (Party& party : situation.parties)
        if (missing(party.task, situation.capacity)) party.tasks = 0;
    return situation;
}

std::vector<std::int64_t> whole_tasks_of_parts(const Situation& situation) {
    std::vector<std::int64_t> tasks;
    Amounts left = situation.capacity;
    for (const Filled& filled : fill_progressively(situation)) {
        const Party& party = situation.parties[tasks.size()];
        auto whole = static_cast<std::int64_t>(std::floor(static_cast<double>(party.tasks) * filled.part + kGrain));
        while (missing(party.task * whole, left)) --whole;  // the grain was too much
        left -= party.task * whole;
        tasks.push_back(whole);
    }
    return tasks;
}

class OddTasks {
public:
    OddTasks(const Situation& situation, std::vector<std::int64_t>& tasks)
        : situation_(situation),
          tasks_(tasks),
          dominant_(dominant_shares(situation)),
          weights_(collapsed_weights(situation)),
          left_(situation.capacity) {
        for (std::size_t i = 0; i < tasks.size(); ++i) left_ -= situation.parties[i].task * tasks[i];
    }

    void hand_out() {
        for (std::size_t i = 0; i < tasks_.size(); ++i) add(i);
        while (!next_.empty()) {
            const std::size_t i = next_.top().second;
            next_.pop();
            if (missing(situation_.parties[i].task, left_)) continue;  // what does not fit now never will
            ++tasks_[i];
            left_ -= situation_.parties[i].task;
            add(i);
        }
    }
    const Amounts& left() const { return left_; }

private:
    void add(std::size_t i) {
        const Party& party = situation_.parties[i];
        if (tasks_[i] == party.tasks) return;
        const double share = dominant_[i] * static_cast<double>(tasks_[i]) / static_cast<double>(party.tasks);
        next_.emplace(share / weights_[i], i);
    }

    using Next = std::pair<double, std::size_t>;

    const Situation& situation_;
    std::vector<std::int64_t>& tasks_;
    std::vector<double> dominant_;
    std::vector<double> weights_;
    Amounts left_;
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
};

}  // namespace

Result<Allotment> Drf::divide(const Situation& situation) const {
    if (auto limit = find_limit(situation)) return tl::unexpected<Error>(*std::move(limit));
    const auto filled = fill_progressively(situation);
    Allotment allotment;
    Amounts left = situation.capacity;
    for (std::size_t i = 0; i < filled.size(); ++i) {
        Portion& portion = allotment.portions.emplace_back();
        const Amounts want = situation.parties[i].want();
        for (const Resource resource : kResources) {
            const double amount = std::floor(static_cast<double>(want[resource]) * filled[i].part + kGrain);
            portion.amounts[resource] = std::min({want[resource], left[resource], static_cast<std::int64_t>(amount)});
        }
        left -= portion.amounts;
        portion.ceiling = ceiling_of(filled[i], situation.capacity);
        portion.scarce = filled[i].scarce;
    }
    return allotment;
}

Result<Allotment> DrfWhole::divide(const Situation& situation) const {
    if (auto limit = find_limit(situation)) return tl::unexpected<Error>(*std::move(limit));
    const Situation possible = without_oversized(situation);
    std::uint64_t sum = 0;
    for (const Party& party : possible.parties) sum += static_cast<std::uint64_t>(party.tasks);
    if (sum > Limits{}.live_tasks)
        return fail(Fault::invalid_input, fmt::format("{} tasks, allowed are {}", sum, Limits{}.live_tasks), "use drf");
    auto tasks = whole_tasks_of_parts(possible);
    OddTasks odd(possible, tasks);
    odd.hand_out();
    Allotment allotment;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const Party& party = situation.parties[i];
        Portion& portion = allotment.portions.emplace_back();
        portion.amounts = party.task * tasks[i];
        if (tasks[i] == party.tasks) continue;
        portion.scarce = missing(party.task, odd.left());
        portion.ceiling = missing(party.task, situation.capacity) ? Ceiling::capacity : Ceiling::share;
    }
    return allotment;
}

}  // namespace sy::allocate
