// Problem: hand out picks one by one so that no replica is ever a whole pick ahead of or behind its share.
//
// Source: this is the chairman assignment problem (Tijdeman, 1980) and Pfair scheduling on one processor (Baruah,
// Cohen, Plaxton, Varvel, 1996). The smooth weighted round robin of nginx takes whoever is owed most; it repeats after
// W picks, so whole periods are exact, but within a period it promises nothing, and it looks at all n replicas for each
// pick.
//
// Choice: a replica's j-th pick has a window. It may come as soon as the share reaches beyond j - 1, at
// floor((j-1) W / w), and must have come when the share reaches j, by ceil(j W / w). Among the open windows we take the
// one that closes first, ties by id. For unit jobs with whole-numbered windows earliest deadline first meets all
// deadlines if anything does, and something does: between any times s < t the windows inside hold at most
// sum(floor(x(t)) - ceil(x(s))) <= t - s jobs. Being inside one's window for every pick is the promise of the header.
//
// Changes: each replica takes the fraction it is owed into the new weights; newcomers are owed nothing. What the
// leavers took with them is spread over the others by weight, so that the sum of all owed is 0 again, which means that
// a window is open at every pick: at pick t + 1 shares have grown to t + 1 in sum and only t picks were made. Right
// after a change two replicas may both be owed most of a pick, and one of them is then served late; the promise of one
// pick is for the time between changes.
//
// Cost: O(log n) for a pick, O(n) at the first pick after a change. Weights are divided by their common divisor.
#include "core/balance/weighted_round_robin.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "base/wide.h"

namespace sy::balance {

namespace {

constexpr std::int64_t floor_of(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

constexpr std::int64_t ceil_of(std::int64_t a, std::int64_t b) {
    return a / b + (a % b > 0 ? 1 : 0);
}

template <class Heap, class Entry>
void push(Heap& heap, const Entry& entry) {
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
}

template <class Heap>
Slot pop(Heap& heap) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const Slot slot = heap.back().slot;
    heap.pop_back();
    return slot;
}

}  // namespace

std::int64_t WeightedRoundRobin::release(const Turn& turn) const {
    return turn.base + floor_of(turn.served * total_ - turn.credit, turn.weight);
}

std::int64_t WeightedRoundRobin::deadline(const Turn& turn) const {
    return turn.base + ceil_of((turn.served + 1) * total_ - turn.credit, turn.weight);
}

void WeightedRoundRobin::queue_up(Slot slot) {
    const Turn& turn = turns_[slot];
    const std::int64_t opens = release(turn);
    if (opens <= now_)
        push(ready_, Due{deadline(turn), turn.id, slot});
    else
        push(waiting_, Due{opens, turn.id, slot});
}

Slot WeightedRoundRobin::pick(const Fleet& fleet, const Request& /*request*/) {
    if (seen_ != fleet.version()) refresh(fleet);
    while (!waiting_.empty() && waiting_.front().when <= now_) queue_up(pop(waiting_));
    SY_CHECK(!ready_.empty(), "at pick {} no window is open among {} replicas", now_, fleet.available().size());
    const Slot slot = pop(ready_);
    Turn& turn = turns_[slot];
    if (++turn.served == turn.weight) {
        turn.served = 0;
        turn.base += total_;
    }
    ++now_;
    queue_up(slot);
    return slot;
}

void WeightedRoundRobin::refresh(const Fleet& fleet) {
    seen_ = fleet.version();
    carry_credit_over(fleet);
    level_credit(fleet);
    now_ = 0;
    waiting_.clear();
    ready_.clear();
    for (const Slot slot : fleet.available()) queue_up(slot);
}

void WeightedRoundRobin::carry_credit_over(const Fleet& fleet) {
    std::uint64_t divisor = 0;
    for (const Slot slot : fleet.available()) divisor = std::gcd(divisor, fleet.at(slot).pull());
    const auto total = static_cast<std::int64_t>(fleet.total_pull() / divisor);
    std::vector<Turn> turns(fleet.slot_end());
    for (const Slot slot : fleet.available()) {
        const Replica& replica = fleet.at(slot);
        turns[slot] = {replica.stay, static_cast<std::int64_t>(replica.pull() / divisor), 0, 0, 0, replica.id};
        if (slot >= turns_.size() || turns_[slot].stay != replica.stay) continue;
        const Turn& old = turns_[slot];
        const std::int64_t owed = (now_ - old.base) * old.weight + old.credit - old.served * total_;
        turns[slot].credit = static_cast<std::int64_t>(Wide{owed} * total / total_);
    }
    turns_ = std::move(turns);
    total_ = total;
}

void WeightedRoundRobin::level_credit(const Fleet& fleet) {
    std::int64_t sum = 0;
    for (const Slot slot : fleet.available()) sum += turns_[slot].credit;
    std::int64_t left = sum;
    for (const Slot slot : fleet.available()) {
        const auto part = static_cast<std::int64_t>(Wide{sum} * turns_[slot].weight / total_);
        turns_[slot].credit -= part;
        left -= part;
    }
    for (const Slot slot : fleet.available()) {  // what rounding left over: less than one part each
        const std::int64_t part = left > 0 ? 1 : left < 0 ? -1 : 0;
        turns_[slot].credit -= part;
        left -= part;
    }
}

}  // namespace sy::balance
