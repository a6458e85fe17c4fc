// Steady: the scheduler for orders that never interrupt. What has started runs to its end.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/schedule/desk.h"
#include "core/schedule/fit.h"
#include "core/schedule/lanes.h"

namespace sy::schedule {

/// What a scheduler knows of a task, to take it up again after a restart.
struct Dossier {
    queue::Candidate candidate;
    Demand demand;
    queue::Rank rank = 0;
};

class Steady final : public Scheduler {
public:
    Steady(std::unique_ptr<queue::Order> order, std::unique_ptr<const Fit> fit,
           std::unique_ptr<place::Placement> placement, place::Floor floor)
        : order_(std::move(order)), fit_(std::move(fit)), desk_(std::move(placement), std::move(floor)) {}

    DemandId know(const Demand& demand) override;
    void accept(TaskId task, const queue::Candidate& candidate, DemandId demand) override;
    void leave(TaskId task, Instant now) override;
    void start_over(TaskId task, Instant now) override;
    void set_up(NodeId node, bool up) override;
    std::vector<TaskId> tasks_on(NodeId node) const override;
    const Decision& decide(Instant now) override;

    std::size_t waiting_count() const override { return desk_.waiting_.size(); }
    std::uint64_t busy_gpus() const override { return desk_.floor_.total_gpus() - free_gpus() - away_; }
    std::uint64_t free_gpus() const { return desk_.floor_.free_gpus(); }

    // What follows only a live cluster needs: it grows, GPUs go and come back, and it outlives its process.

    NodeId add_node(const NodeSpec& node, std::span<const GpuSpec> gpus);
    void set_present(NodeId node, GpuCount at, bool present);
    void set_kind(NodeId node, KindId kind);
    /// Whether it is somebody's, and so may be there one day.
    void set_known(NodeId node, GpuCount at, bool known) { empty_.set_present(node, at, known); }
    /// How much of a GPU's memory can be had.
    void set_memory(NodeId node, GpuCount at, Bytes memory) {
        desk_.change_floor([&](place::Floor& floor) { floor.set_memory(node, at, memory); });
    }
    /// How a GPU is, for placements that prefer one to another.
    void set_view(NodeId node, GpuCount at, place::GpuView view) {
        desk_.placement_->set_view(node, at, std::move(view));
    }
    /// Where a demand could go if nothing ran and every GPU were there.
    std::optional<place::Seat> seat_when_empty(const Demand& demand) const {
        return desk_.placement_->find_any(empty_, demand);
    }

    /// As `accept`, of a demand that need not be known before. The rank it was given.
    queue::Rank admit(TaskId task, const queue::Candidate& candidate, const Demand& demand);
    /// A task whose owner thinks otherwise of it now. An order that remembers has ranked it already, for good.
    queue::Rank rank_again(TaskId task, const queue::Candidate& candidate);
    // Moving within a rank (moving.cc). All who got another number thereby: the task, and others where there was no
    // room.

    /// Whether the order leaves anything to be moved.
    bool lets_move() const { return order_->ranks_by_level(); }
    bool have_one_rank(TaskId a, TaskId b) const { return desk_.task(a).rank == desk_.task(b).rank; }
    /// Both wait and have one rank. `last`: the last task that has come; who comes after it will stand behind.
    std::vector<TaskId> move_before(TaskId task, TaskId other, TaskId last);
    std::vector<TaskId> move_to_front(TaskId task, TaskId last);
    std::vector<TaskId> move_to_back(TaskId task, TaskId last);
    /// What settles its place among those of its rank.
    queue::LineNumber number_of(TaskId task) const;
    /// Those that were moved, also while they run or are held back: they come back where they were moved to.
    const std::map<TaskId, queue::LineNumber>& moved() const { return moved_; }
    void move_again(TaskId task, queue::LineNumber number);
    /// It has ended.
    void forget_move(TaskId task);

    /// A task is gone and its end tells nothing of how long such tasks run.
    void withdraw(TaskId task);

    /// A task leaves the line, to take the seat of one with the same demand when that one leaves it.
    void call_up(TaskId task);
    void hand_over(TaskId from, TaskId to, Instant now);

    /// The task that stands first; nobody where nobody waits.
    std::optional<TaskId> first_in_line() const;
    /// From the first in line on, until visit(task) answers false.
    template <class Visit>
    void for_each_in_line(Visit visit) const {
        for (Walk walk(desk_.waiting_, [](DemandId) { return true; }); !walk.done(); walk.pass())
            if (!visit(walk.place().task)) return;
    }
    /// From the first behind that place on, which need not be taken, until visit(place) answers false.
    template <class Visit>
    void for_each_behind(const queue::Place& place, Visit visit) const {
        for (Walk walk(desk_.waiting_, place); !walk.done(); walk.pass())
            if (!visit(walk.place())) return;
    }
    /// How many stand before a task that waits.
    std::uint64_t position(TaskId task) const;

    /// What order and placement remember, as bytes and back; false where the bytes cannot be such a memory.
    void save(ByteWriter& writer) const;
    bool load(ByteReader& reader) { return order_->load(reader) && desk_.placement_->load(reader); }
    /// Of a task that came under another policy.
    queue::Rank rank_anew(const queue::Candidate& candidate, const Demand& demand);
    bool is_free(const place::Seat& seat, const Demand& demand) const { return desk_.floor_.has_room(seat, demand); }
    /// After that: a task that waited, one that was called up, and one that ran, whose seat must be free.
    void wait_again(TaskId task, const Dossier& dossier);
    void call_again(TaskId task, const Dossier& dossier);
    void run_again(TaskId task, const Dossier& dossier, Instant started, const place::Seat& seat);

private:
    DemandId lane_for(DemandId demand);
    void stand(TaskId task, const queue::Candidate& candidate, DemandId demand, queue::Rank rank);
    void vacate(TaskId task, Seated& seated);
    queue::Place place_of(TaskId task, queue::Rank rank) const;
    /// Between two numbers.
    struct Gap {
        queue::LineNumber low = 0;
        queue::LineNumber high = 0;
    };
    std::vector<TaskId> put_between(TaskId task, Gap gap, TaskId last);
    std::vector<TaskId> line_with(TaskId task, queue::LineNumber before, Gap stretch) const;
    std::vector<queue::LineNumber> free_numbers(Gap stretch, const std::vector<TaskId>& line) const;
    std::vector<TaskId> spread_out(TaskId task, Gap gap, TaskId last);
    void renumber(TaskId task, queue::LineNumber number);

    std::unique_ptr<queue::Order> order_;
    std::unique_ptr<const Fit> fit_;
    Desk desk_;
    std::uint64_t away_ = 0;  ///< GPUs of nodes that are not up.
    place::Floor empty_;      ///< Of a live cluster.
    std::map<TaskId, queue::LineNumber> moved_;
    std::set<queue::LineNumber> taken_;  ///< Their numbers.
};

}  // namespace sy::schedule
