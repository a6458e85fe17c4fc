#include "core/schedule/greedy.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sy::schedule {

Greedy::Greedy(std::unique_ptr<queue::Order> order, std::unique_ptr<place::Placement> placement,
               std::span<const NodeSpec> nodes, Duration restart_cost)
    : order_(std::move(order)),
      placement_(std::move(placement)),
      restart_cost_(restart_cost),
      ranking_(order_->motion(), order_->ties()),
      floor_(place::floor_for(*placement_, nodes)),
      free_(static_cast<std::int64_t>(floor_.total_gpus())) {
    counts_ = placement_->pools() && floor_.node_count() == 1;
    held_ = floor_;
}

DemandId Greedy::know(const Demand& demand) {
    const auto known = std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return l.demand == demand; });
    const auto index = static_cast<std::uint32_t>(known - lanes_.begin());
    if (known == lanes_.end()) lanes_.push_back({demand, {}, {}});
    return DemandId(index);
}

void Greedy::accept(TaskId id, const queue::Candidate& candidate, DemandId demand) {
    Standing& task = tasks_.add(id, {});
    task.id = id;
    task.candidate = candidate;
    task.demand = demand;
    task.rank = order_->rank(candidate);
    task.left = candidate.length;
    newcomers_.push_back(id);
    placement_->arrived(lanes_[demand.value()].demand);
    if (next_boost_ == kNever) next_boost_ = later(candidate.submitted, order_->boost());
}

void Greedy::leave(TaskId id, Instant now) {
    Standing& task = tasks_.at(id);
    if (task.runs) {
        vacate(task);
        order_->ended(task.candidate, task.attained + (now - task.since));
    } else if (std::erase(newcomers_, id) == 0) {
        lane_of(task).waiting.erase(ranking_.as_waiting(task));
    }
    tasks_.remove(id);
    forget_void_alarms();
}

void Greedy::vacate(Standing& task) {
    Lane& lane = lane_of(task);
    lane.running.erase(ranking_.as_running(task));
    if (!counts_) held_.give_back(task.seat, lane.demand);
    free_ += task.candidate.gpus;
    --running_count_;
}

void Greedy::start_over(TaskId id, Instant) {
    Standing& task = tasks_.at(id);
    SY_CHECK(task.runs, "task {} does not run", id.value());
    vacate(task);
    task.runs = false;
    ++task.timer;
    task.left = task.candidate.length;
    task.attained = Duration::zero();
    task.rank = order_->rank(task.candidate);
    newcomers_.push_back(id);
}

void Greedy::set_up(NodeId node, bool up) {
    SY_CHECK(!counts_, "one pool has no nodes that could go");
    floor_.set_up(node, up);
    held_.set_up(node, up);
    const std::int64_t gpus = floor_.node(node).gpus;
    away_ += up ? -gpus : gpus;
    free_ += up ? gpus : -gpus;
}

std::vector<TaskId> Greedy::tasks_on(NodeId node) const {
    std::vector<TaskId> tasks;
    for (const Lane& lane : lanes_) {
        queue::SortedLine<Standee>::Spot spot;
        for (; const Standee* running = lane.running.look(spot); ++spot.index)
            if (task(*running).seat.is_on(node)) tasks.push_back(running->task);
    }
    std::sort(tasks.begin(), tasks.end());
    return tasks;
}

const Decision& Greedy::decide(Instant now) {
    decision_.put_aside.clear();
    decision_.starts.clear();
    ++decisions_;
    ranking_.begin(now);
    if (!ranking_.same_list()) dropped_.clear();
    admit_newcomers();
    boost_if_due();
    end_spells();
    if (counts_) {
        settle_by_count();
    } else {
        settle_by_seats();
    }
    conclude();
    return decision_;
}

void Greedy::admit_newcomers() {
    for (const TaskId id : newcomers_) {
        Standing& newcomer = tasks_.at(id);
        ranking_.mark_as_newcomer(newcomer);
        lane_of(newcomer).waiting.insert(ranking_.as_waiting(newcomer));
    }
    newcomers_.clear();
}

/// Everybody goes to the back of the first queue, in the order of the list. A boost that nobody was there for is no
/// boost.
void Greedy::boost_if_due() {
    const Instant now = ranking_.now();
    if (next_boost_ > now) return;
    const bool due = (now - next_boost_) % order_->boost() == Duration::zero();
    const Duration until_now = (now - next_boost_) / order_->boost() * order_->boost();
    next_boost_ = later(next_boost_ + until_now, order_->boost());
    if (!due) return;
    std::vector<TaskId> ids;
    tasks_.for_each([&](TaskId id, const Standing&) { ids.push_back(id); });
    std::sort(ids.begin(), ids.end(), [&](TaskId a, TaskId b) { return ranking_.before(tasks_.at(a), tasks_.at(b)); });
    for (const TaskId id : ids) {
        Standing& task = tasks_.at(id);
        catch_up(task);
        task.attained = Duration::zero();
        touch(task);
        if (task.runs) {
            drop(task);
        }
        lane_of(task).waiting.erase(ranking_.as_waiting(task));
        task.rank = order_->rank(task.candidate);
        ranking_.mark_as_newcomer(task);
        lane_of(task).waiting.insert(ranking_.as_waiting(task));
    }
}

/// Spells that ended, in the order of arrival. Where a spell needs rivals, those that passed while there were none have
/// silently followed each other.
void Greedy::end_spells() {
    if (order_->spells_need_rivals() && waiting_count() == 0) return;
    std::vector<TaskId> due;
    forget_void_alarms();
    for (; !alarms_.empty() && alarms_.next().at <= ranking_.now(); forget_void_alarms()) {
        Alarm alarm = alarms_.next();
        alarms_.drop_next();
        if (alarm.at < ranking_.now() && order_->spells_need_rivals()) {
            const Standing& task = tasks_.at(alarm.task);
            const Duration spell = order_->spell(task.candidate, task.rank, task.attained);
            alarm.at += (ranking_.now() - alarm.at + spell - Duration(1)) / spell * spell;
            if (alarm.at > ranking_.now()) {
                alarms_.set(alarm);
                continue;
            }
        }
        due.push_back(alarm.task);
    }
    std::sort(due.begin(), due.end());
    for (const TaskId id : due) go_to_the_back(tasks_.at(id));
}

void Greedy::go_to_the_back(Standing& task) {
    touch(task);
    drop(task);
    lane_of(task).waiting.erase(ranking_.as_waiting(task));
    task.rank = order_->after_spell(task.candidate, task.rank);
    ranking_.mark_as_newcomer(task);
    lane_of(task).waiting.insert(ranking_.as_waiting(task));
    ++task.timer;
}

void Greedy::catch_up(Standing& task) const {
    if (!task.runs) return;
    const Duration ran = ranking_.now() - task.since;
    task.left -= ran;
    task.attained += ran;
    task.since = ranking_.now();
}

void Greedy::touch(Standing& task) {
    if (task.touched == decisions_) return;
    task.touched = decisions_;
    task.ran_before = task.runs;
    task.moved = false;
    touched_.push_back(task.id);
}

void Greedy::take(Standing& task) {
    touch(task);
    lane_of(task).waiting.erase(ranking_.as_waiting(task));
    ranking_.mark(task);
    ranking_.turn_to_run(task);
    task.runs = true;
    task.since = ranking_.now();
    lane_of(task).running.insert(ranking_.as_running(task));
    free_ -= task.candidate.gpus;
    ++running_count_;
}

void Greedy::drop(Standing& task) {
    touch(task);
    lane_of(task).running.erase(ranking_.as_running(task));
    ranking_.mark(task);
    ranking_.turn_to_wait(task);
    catch_up(task);
    task.runs = false;
    dropped_.push_back(task.id);
    lane_of(task).waiting.insert(ranking_.as_waiting(task));
    free_ += task.candidate.gpus;
    --running_count_;
}

void Greedy::conclude() {
    for (const TaskId id : touched_) {
        Standing& task = tasks_.at(id);
        if (task.ran_before && (!task.runs || task.moved)) put_aside(task);
        if (!task.runs) continue;
        if (!task.ran_before || task.moved) {
            order_->started(task.candidate, task.rank);
            decision_.starts.push_back({id, task.left, task.seat});
        }
        set_alarm(task);
    }
    touched_.clear();
    forget_void_alarms();
    if (ranking_.same_list()) number_anew();
}

/// Several decisions on one list drop tasks in turns, but those who wait now stand in the order of the list.
void Greedy::number_anew() {
    std::sort(dropped_.begin(), dropped_.end());
    dropped_.erase(std::unique(dropped_.begin(), dropped_.end()), dropped_.end());
    std::erase_if(dropped_, [&](TaskId id) {
        const Standing* task = tasks_.find(id);
        return task == nullptr || task->runs || !ranking_.ran_at_first(*task);
    });
    std::sort(dropped_.begin(), dropped_.end(),
              [&](TaskId a, TaskId b) { return ranking_.before(tasks_.at(a), tasks_.at(b)); });
    for (const TaskId id : dropped_) {
        Standing& task = tasks_.at(id);
        lane_of(task).waiting.erase(ranking_.as_waiting(task));
        ranking_.turn_to_wait(task);
        lane_of(task).waiting.insert(ranking_.as_waiting(task));
    }
}

void Greedy::put_aside(Standing& task) {
    decision_.put_aside.push_back(task.id);
    ++task.timer;
    if (restart_cost_ == Duration::zero()) return;
    auto& line = task.runs ? lane_of(task).running : lane_of(task).waiting;
    const auto as_it_stands = [&] { return task.runs ? ranking_.as_running(task) : ranking_.as_waiting(task); };
    line.erase(as_it_stands());
    task.left = later(kStart + task.left, restart_cost_) - kStart;
    ranking_.sink(task);
    line.insert(as_it_stands());
}

void Greedy::set_alarm(const Standing& standing) {
    const Duration spell = order_->spell(standing.candidate, standing.rank, standing.attained);
    if (spell == queue::kForever) return;
    Standing& task = tasks_.at(standing.id);
    // One that went on as it was keeps its alarm.
    if (task.ran_before && !task.moved && task.origin == Origin::ran) return;
    ++task.timer;
    alarms_.set({later(ranking_.now(), spell), task.id, task.timer});
}

void Greedy::forget_void_alarms() {
    while (!alarms_.empty()) {
        const Standing* task = tasks_.find(alarms_.next().task);
        if (task != nullptr && task->runs && task->timer == alarms_.next().timer) return;
        alarms_.drop_next();
    }
}

Instant Greedy::wake() const {
    Instant at = tasks_.size() > 0 ? next_boost_ : kNever;
    if (!alarms_.empty() && (!order_->spells_need_rivals() || waiting_count() > 0))
        at = std::min(at, alarms_.next().at);
    return at;
}

}  // namespace sy::schedule
