// Problem: as in model.h; strongly NP-hard for each of the four objectives (Lenstra, Rinnooy Kan and Brucker 1977).
//
// All objectives are regular: nothing gets worse when a job starts sooner. So some best schedule is found by placing
// jobs in the order of their starts, each at the first instant from the last start on at which it fits: in a best
// schedule with the least sum of starts no job can be moved to the left, and a later one is never in the way, as it
// starts later. From the last start on what is held only falls, so "fits" at that instant means fits for good.
//
// A branch places one job. It is left where
//   - another job would be over before this one starts: moving it there makes no start later (active schedules);
//   - an equal job with a smaller number is not placed yet;
//   - the bound on the rest (rest.cc) shows no gain over the best known, or a deadline that cannot be kept;
//   - an earlier partial schedule of the same jobs dominates it (partial.h).
// These do not defeat each other: of all ways to complete a visited partial schedule at some cost, take one with the
// least sum of starts and equal jobs in order. Its next job is a branch that the first two rules leave. Where that
// branch is dominated, the dominating one was visited, has as many jobs, and can be completed the same way.
//
// Children are visited by their bounds, smallest first, beginning from the best list schedule after some local search.
// Cost: exponential, of course; docs/optimum.md has measured sizes.
#include "core/optimum/branch.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/optimum/improve.h"
#include "core/optimum/lower_bound.h"
#include "core/optimum/partial.h"
#include "core/optimum/rest.h"
#include "core/optimum/small.h"

namespace sy::optimum {

namespace {

class Search {
public:
    Search(const Small& small, const BranchBudget& budget, std::optional<Cost> known)
        : small_(small), budget_(budget), rest_(small), best_(known) {
        Partial none;
        none.cost = small.free_cost;
        none.starts.resize(small.pieces.size());
        if (const auto bound = rest_.bound(none)) visit(none);
    }
    const std::optional<std::vector<Small::Time>>& starts() const { return starts_; }
    bool finished() const { return !stopped_; }
    std::uint64_t steps() const { return steps_; }

private:
    struct Child {
        Cost bound = 0;
        Partial partial;
    };

    void visit(const Partial& partial) {
        if (static_cast<std::size_t>(std::popcount(partial.placed)) == small_.pieces.size()) {
            best_ = partial.cost;
            starts_ = partial.starts;
            return;
        }
        std::vector<Child> children = children_of(partial);
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.bound < b.bound; });
        for (const Child& child : children) {
            if (stopped_ || (best_ && child.bound >= *best_)) return;
            if (!is_dominated(child.partial)) visit(child.partial);
        }
    }

    std::vector<Child> children_of(const Partial& partial) {
        std::vector<std::pair<Small::Time, std::size_t>> rooms;
        Small::Time first_over = std::numeric_limits<Small::Time>::max();
        for (std::size_t i = 0; i < small_.pieces.size(); ++i) {
            if (partial.has(i)) continue;
            rooms.emplace_back(partial.first_room(small_, small_.pieces[i]), i);
            first_over = std::min(first_over, rooms.back().first + small_.pieces[i].length);
        }
        std::vector<Child> children;
        for (const auto& [start, piece] : rooms) {
            if (start >= first_over || !has_its_turn(partial, piece)) continue;
            if (!spend_step()) break;
            Child child{0, partial};
            child.partial.place(small_, piece, start);
            const auto bound = rest_.bound(child.partial);
            if (!bound || (best_ && *bound >= *best_)) continue;
            child.bound = *bound;
            children.push_back(std::move(child));
        }
        return children;
    }

    bool has_its_turn(const Partial& partial, std::size_t piece) const {
        for (std::size_t i = 0; i < piece; ++i)
            if (!partial.has(i) && small_.pieces[i].is_like(small_.pieces[piece])) return false;
        return true;
    }

    /// Remembers it where it is not.
    bool is_dominated(const Partial& partial) {
        auto& alike = seen_[partial.placed];
        for (const Partial& other : alike)
            if (other.dominates(small_, partial)) return true;
        if (remembered_ == budget_.remembered) return false;
        ++remembered_;
        alike.push_back(partial);
        return false;
    }

    bool spend_step() {
        constexpr std::uint64_t kBetweenQuestions = 1'000;
        ++steps_;
        stopped_ = stopped_ || steps_ > budget_.steps ||
                   (steps_ % kBetweenQuestions == 0 && budget_.keep_going && !budget_.keep_going());
        return !stopped_;
    }

    const Small& small_;
    const BranchBudget& budget_;
    RestBound rest_;
    std::optional<Cost> best_;
    std::optional<std::vector<Small::Time>> starts_;
    std::map<std::uint64_t, std::vector<Partial>> seen_;
    std::size_t remembered_ = 0;
    std::uint64_t steps_ = 0;
    bool stopped_ = false;
};

Schedule schedule_of(const Problem& problem, const Small& small, const std::vector<Small::Time>& starts) {
    Schedule schedule;
    for (const Item& item : problem.items) schedule.starts.push_back(item.arrival);
    for (std::size_t i = 0; i < starts.size(); ++i)
        schedule.starts[small.pieces[i].item] = problem.origin + Duration(starts[i]);
    return schedule;
}

}  // namespace

Answer branch_and_bound(const Problem& problem, const BranchBudget& budget) {
    const Small small(problem);
    Answer answer;
    if (!small.is_possible) {
        answer.proven = true;
        return answer;
    }
    answer.bound = lower_bound(problem);
    answer.schedule = good_schedule(problem);
    if (answer.schedule) answer.cost = cost_of(problem, *answer.schedule);
    answer.proven = answer.schedule && answer.cost == answer.bound;
    if (answer.proven || small.pieces.size() > kMostBranchItems) return answer;

    const Search search(small, budget, answer.schedule ? std::optional(answer.cost) : std::nullopt);
    answer.steps = search.steps();
    answer.proven = search.finished();
    if (search.starts()) {
        answer.schedule = schedule_of(problem, small, *search.starts());
        answer.cost = cost_of(problem, *answer.schedule);
    }
    if (answer.proven && answer.schedule) answer.bound = answer.cost;
    return answer;
}

}  // namespace sy::optimum
