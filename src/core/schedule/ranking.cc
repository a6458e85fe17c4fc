// Ties under a stable sort, without a list.
//
// Say the list persists and is sorted stably by remaining time at every decision. Remaining time falls for those who
// run and stands still for those who wait. So if a running and a waiting task tie now, the running one was behind at
// the last decision, and the waiting one keeps its place before it; a newcomer was appended and comes last. Two that
// run tie only if they always did, or, where the rank is time × GPUs, if the wider one was behind: it falls faster.
// That leaves ties among those who wait (numbered when they began to) and among those who run (likewise): the Turns.
#include "core/schedule/ranking.h"

#include "base/wide.h"

namespace sy::schedule {

void Ranking::begin(Instant now) {
    same_list_ = epoch_ > 0 && now == now_ && ties_ != queue::Ties::running_first;
    if (!same_list_) ++epoch_;
    now_ = now;
}

Origin Ranking::origin(const Standing& task) const {
    if (task.epoch == epoch_) return task.origin;
    return task.runs ? Origin::ran : Origin::waited;
}

int Ranking::class_of(const Standing& task) const {
    const Origin from = origin(task);
    if (from == Origin::came) return 2;
    const bool first = (from == Origin::ran) == (ties_ == queue::Ties::running_first);
    return first ? 0 : 1;
}

std::int64_t Ranking::rank_now(const Standing& task) const {
    if (!falls()) return task.rank;
    return (task.runs ? task.left - (now_ - task.since) : task.left).count();
}

std::weak_ordering Ranking::compare(std::int64_t a, GpuCount a_width, std::int64_t b, GpuCount b_width) const {
    if (motion_ != queue::Motion::falls_by_width || a_width == b_width) return a <=> b;
    const Wide a_service = static_cast<Wide>(a) * a_width;
    const Wide b_service = static_cast<Wide>(b) * b_width;
    if (a_service == b_service) return std::weak_ordering::equivalent;
    return a_service < b_service ? std::weak_ordering::less : std::weak_ordering::greater;
}

std::weak_ordering Ranking::by_rank(const Standing& waiting, const Standee& running, GpuCount width) const {
    const std::int64_t theirs = falls() ? running.key - now_.time_since_epoch().count() : running.key;
    return compare(rank_now(waiting), waiting.candidate.gpus, theirs, width);
}

bool Ranking::before(const Standing& a, const Standing& b) const {
    const auto order = compare(rank_now(a), a.candidate.gpus, rank_now(b), b.candidate.gpus);
    if (order != 0) return order < 0;
    if (ties_ == queue::Ties::by_arrival) return a.id < b.id;
    const int a_class = class_of(a);
    const int b_class = class_of(b);
    if (a_class != b_class) return a_class < b_class;
    if (origin(a) != Origin::ran) return a.waiting_turn < b.waiting_turn;
    if (motion_ == queue::Motion::falls_by_width && a.candidate.gpus != b.candidate.gpus)
        return a.candidate.gpus < b.candidate.gpus;
    return a.running_turn < b.running_turn;
}

Standee Ranking::as_waiting(const Standing& task) const {
    return {falls() ? task.left.count() : task.rank, task.waiting_turn, task.id};
}

Standee Ranking::as_running(const Standing& task) const {
    return {falls() ? later(task.since, task.left).time_since_epoch().count() : task.rank, task.running_turn, task.id};
}

void Ranking::mark(Standing& task) const {
    if (task.epoch == epoch_) return;
    task.origin = task.runs ? Origin::ran : Origin::waited;
    task.epoch = epoch_;
}

void Ranking::mark_as_newcomer(Standing& task) {
    task.origin = Origin::came;
    task.epoch = epoch_;
    if (ties_ == queue::Ties::by_arrival) return;
    const auto epoch = static_cast<std::int64_t>(epoch_);
    task.waiting_turn = {2 * epoch + 1, ++turns_};
}

void Ranking::turn_to_wait(Standing& task) {
    if (ties_ == queue::Ties::by_arrival || origin(task) != Origin::ran) return;
    const auto epoch = static_cast<std::int64_t>(epoch_);
    task.waiting_turn = {ties_ == queue::Ties::as_before ? 2 * epoch : -2 * epoch, ++turns_};
}

void Ranking::sink(Standing& task) {
    if (ties_ == queue::Ties::as_before && !task.runs)
        task.waiting_turn = {-2 * static_cast<std::int64_t>(epoch_), ++turns_};
}

void Ranking::turn_to_run(Standing& task) {
    if (ties_ == queue::Ties::by_arrival || origin(task) == Origin::ran) return;
    const auto epoch = static_cast<std::int64_t>(epoch_);
    if (ties_ == queue::Ties::running_first) {
        task.running_turn = {epoch, ++turns_};
    } else {  // at one instant several decisions may start tasks; the list stays the same
        const std::int64_t side = origin(task) == Origin::waited ? -epoch : epoch;
        task.running_turn = {side, task.waiting_turn.major, task.waiting_turn.minor};
    }
}

}  // namespace sy::schedule
