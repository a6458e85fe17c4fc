// Moving: a task is put elsewhere among those of its rank (G1).
//
// Problem: ties of rank end at a number, and a moved task needs one between those of two neighbours; numbers are whole,
// so that a sorted set of Redis can hold them exactly, and a task that was moved must come back to its place after a
// failure or a restart. Choice: own numbers lie kBetweenNumbers apart, and a moved task takes one between. Where none
// is left, those around it are spread out evenly over a stretch with room for twice as many; as own numbers are that
// far apart, a short stretch always has it. Nobody takes another task's own number: it may be running and come back.
// Cost: a search, and now and then some tens of tasks that leave their place and come back to the same.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "core/schedule/steady.h"

namespace sy::schedule {

using queue::kBetweenNumbers;
using queue::LineNumber;
using queue::Place;

namespace {

bool is_own_number(LineNumber number) {
    return number % kBetweenNumbers == 0;
}

constexpr TaskId kNobody;

}  // namespace

LineNumber Steady::number_of(TaskId task) const {
    if (moved_.empty()) return queue::own_number(task);
    const auto found = moved_.find(task);
    return found == moved_.end() ? queue::own_number(task) : found->second;
}

Place Steady::place_of(TaskId task, queue::Rank rank) const {
    return {rank, number_of(task), task};
}

void Steady::move_again(TaskId task, LineNumber number) {
    forget_move(task);
    moved_[task] = number;
    taken_.insert(number);
}

void Steady::forget_move(TaskId task) {
    const auto found = moved_.find(task);
    if (found == moved_.end()) return;
    taken_.erase(found->second);
    moved_.erase(found);
}

/// Of a task that waits.
void Steady::renumber(TaskId task, LineNumber number) {
    const Seated& seated = desk_.task(task);
    desk_.waiting_.erase(place_of(task, seated.rank), seated.demand);
    move_again(task, number);
    desk_.waiting_.insert(place_of(task, seated.rank), seated.demand);
}

std::vector<TaskId> Steady::move_before(TaskId task, TaskId other, TaskId last) {
    if (task == other) return {};
    const queue::Rank rank = desk_.task(other).rank;
    const auto before = desk_.waiting_.last_before(place_of(other, rank));
    if (before && before->task == task) return {};
    const bool has_neighbour = before && before->rank == rank;
    return put_between(task, {has_neighbour ? before->number : 0, number_of(other)}, last);
}

std::vector<TaskId> Steady::move_to_front(TaskId task, TaskId last) {
    const queue::Rank rank = desk_.task(task).rank;
    TaskId first = task;
    for_each_behind(Place(rank, std::numeric_limits<LineNumber>::min(), kNobody), [&](const Place& place) {
        first = place.task;
        return false;
    });
    return move_before(task, first, last);
}

std::vector<TaskId> Steady::move_to_back(TaskId task, TaskId last) {
    const queue::Rank rank = desk_.task(task).rank;
    const auto behind_all = desk_.waiting_.last_before(Place(rank, std::numeric_limits<LineNumber>::max(), kNobody));
    if (behind_all->task == task) return {};
    const LineNumber low = behind_all->number;
    return put_between(task, {low, std::min(low + 2 * kBetweenNumbers, queue::own_number(last.next()))}, last);
}

/// Right before its new neighbour, with room for others on both sides.
std::vector<TaskId> Steady::put_between(TaskId task, Gap gap, TaskId last) {
    const bool is_wide = gap.high - gap.low > 2 * kBetweenNumbers;
    const LineNumber wanted = is_wide ? gap.high - kBetweenNumbers / 2 : gap.low + (gap.high - gap.low) / 2;
    for (LineNumber off = 0; off <= kBetweenNumbers; ++off)
        for (const LineNumber number : {wanted - off, wanted + off}) {
            if (number <= gap.low || number >= gap.high || is_own_number(number) || taken_.contains(number)) continue;
            renumber(task, number);
            return {task};
        }
    return spread_out(task, gap, last);
}

/// Everybody whose number lies in the stretch, in line, with the task where it is to stand.
std::vector<TaskId> Steady::line_with(TaskId task, LineNumber before, Gap stretch) const {
    const queue::Rank rank = desk_.task(task).rank;
    std::vector<TaskId> line;
    bool is_placed = false;
    for_each_behind(Place(rank, stretch.low + 1, kNobody), [&](const Place& place) {
        if (place.rank != rank || place.number >= stretch.high) return false;
        if (place.task == task) return true;
        if (!is_placed && place.number >= before) {
            line.push_back(task);
            is_placed = true;
        }
        line.push_back(place.task);
        return true;
    });
    if (!is_placed) line.push_back(task);
    return line;
}

/// The numbers of the stretch that nobody has but these.
std::vector<LineNumber> Steady::free_numbers(Gap stretch, const std::vector<TaskId>& line) const {
    std::set<LineNumber> theirs;
    for (const TaskId one : line) theirs.insert(number_of(one));
    std::vector<LineNumber> numbers;
    for (LineNumber number = stretch.low + 1; number < stretch.high; ++number)
        if (!is_own_number(number) && (!taken_.contains(number) || theirs.contains(number))) numbers.push_back(number);
    return numbers;
}

std::vector<TaskId> Steady::spread_out(TaskId task, Gap gap, TaskId last) {
    const LineNumber end = queue::own_number(last.next());
    for (LineNumber reach = 2 * kBetweenNumbers;; reach *= 2) {
        const Gap stretch{std::max<LineNumber>(0, gap.low - reach), std::min(end, gap.high + reach)};
        std::vector<TaskId> line = line_with(task, gap.high, stretch);
        const std::vector<LineNumber> numbers = free_numbers(stretch, line);
        const bool is_all = stretch.low == 0 && stretch.high == end;
        if (numbers.size() < 2 * line.size() && !is_all) continue;
        SY_CHECK(numbers.size() >= line.size(), "there is no number left for task {}", task.value());
        for (const TaskId one : line) {
            desk_.waiting_.erase(place_of(one, desk_.task(one).rank), desk_.task(one).demand);
            forget_move(one);
        }
        for (std::size_t i = 0; i < line.size(); ++i) {
            move_again(line[i], numbers[(2 * i + 1) * numbers.size() / (2 * line.size())]);
            desk_.waiting_.insert(place_of(line[i], desk_.task(line[i]).rank), desk_.task(line[i]).demand);
        }
        return line;
    }
}

}  // namespace sy::schedule
