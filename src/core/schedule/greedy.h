// Greedy: the scheduler for orders that interrupt.
//
// At each decision all unfinished tasks are ranked and taken from an empty cluster, first to last, whoever fits;
// whoever does not is skipped. Who is taken runs; who ran and is not taken is put aside and keeps its progress. Only
// what changed is looked at: see greedy_counted.cc for why that gives the same answer.
#pragma once

#include <memory>
#include <vector>

#include "core/model/by_task.h"
#include "core/place/placement.h"
#include "core/queue/order.h"
#include "core/queue/sorted_line.h"
#include "core/schedule/alarms.h"
#include "core/schedule/ranking.h"
#include "core/schedule/scheduler.h"

namespace sy::schedule {

class Greedy final : public Scheduler {
public:
    /// `restart_cost`: what a task has to run longer each time it was put aside.
    Greedy(std::unique_ptr<queue::Order> order, std::unique_ptr<place::Placement> placement,
           std::span<const NodeSpec> nodes, Duration restart_cost);

    DemandId know(const Demand& demand) override;
    void accept(TaskId task, const queue::Candidate& candidate, DemandId demand) override;
    void leave(TaskId task, Instant now) override;
    void start_over(TaskId task, Instant now) override;
    void set_up(NodeId node, bool up) override;
    std::vector<TaskId> tasks_on(NodeId node) const override;
    const Decision& decide(Instant now) override;
    Instant wake() const override;

    std::size_t waiting_count() const override { return tasks_.size() - running_count_; }
    std::uint64_t busy_gpus() const override {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(floor_.total_gpus()) - free_ - away_);
    }

private:
    /// Tasks with one demand.
    struct Lane {
        Demand demand;
        queue::SortedLine<Standee> waiting;
        queue::SortedLine<Standee> running;
    };

    class Bystanders;
    class Path;
    struct Taken {
        Standing* task;
        place::Seat seat;
    };

    Standing& task(const Standee& standee) { return tasks_.at(standee.task); }
    const Standing& task(const Standee& standee) const { return tasks_.at(standee.task); }
    Lane& lane_of(const Standing& task) { return lanes_[task.demand.value()]; }

    // Greedy itself.
    void vacate(Standing& task);
    void admit_newcomers();
    void boost_if_due();
    void end_spells();
    void go_to_the_back(Standing& task);
    void catch_up(Standing& task) const;
    void touch(Standing& task);
    void take(Standing& task);
    void drop(Standing& task);
    void conclude();
    void put_aside(Standing& task);
    void number_anew();
    void set_alarm(const Standing& task);
    void forget_void_alarms();

    // greedy_counted.cc
    void settle_by_count();
    bool fits_by_count(const Standing& task) const;
    Standing* first_that_fits();
    Standing* first_that_overruns();

    // greedy_seated.cc
    void settle_by_seats();
    bool fill_what_is_free();
    void settle_as_walked(std::span<Standing* const> ran, std::vector<Taken> taken);
    std::vector<Standing*> ran_in_order();
    std::vector<Taken> walk_the_list(std::span<Standing* const> ran);

    std::unique_ptr<queue::Order> order_;
    std::unique_ptr<place::Placement> placement_;
    Duration restart_cost_;
    Ranking ranking_;

    bool counts_;            ///< One pool: seats do not matter.
    place::Floor held_;      ///< What the seats of running tasks leave free, where seats matter.
    place::Floor floor_;     ///< Empty: what there is. Seats are kept with the tasks.
    std::int64_t free_;      ///< GPUs; below zero in the middle of a decision.
    std::int64_t away_ = 0;  ///< GPUs of nodes that are not up; they are not free.
    std::vector<Lane> lanes_;
    ByTask<Standing> tasks_;
    std::vector<TaskId> newcomers_;
    std::vector<TaskId> touched_;
    std::vector<TaskId> dropped_;  ///< By the decisions on the present list.
    Alarms alarms_;
    Instant next_boost_ = kNever;
    std::size_t running_count_ = 0;
    std::uint64_t decisions_ = 0;
    Decision decision_;
};

}  // namespace sy::schedule
