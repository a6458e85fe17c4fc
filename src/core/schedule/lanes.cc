#include "core/schedule/lanes.h"

#include "base/check.h"

namespace sy::schedule {

void Lanes::insert(const queue::Place& place, DemandId lane) {
    const bool inserted = lanes_[lane.value()].insert(place);
    SY_CHECK(inserted, "task {} is in line already", place.task.value());
    ++size_;
}

void Lanes::erase(const queue::Place& place, DemandId lane) {
    const bool erased = lanes_[lane.value()].erase(place);
    SY_CHECK(erased, "task {} is not in line", place.task.value());
    --size_;
}

const queue::Place* Lanes::front() const {
    const queue::Place* first = nullptr;
    for (const queue::WaitingLine& lane : lanes_)
        if (!lane.empty() && (first == nullptr || lane.front() < *first)) first = &lane.front();
    return first;
}

std::uint64_t Lanes::position(const queue::Place& place) const {
    std::uint64_t before = 0;
    for (const queue::WaitingLine& lane : lanes_)
        if (!lane.empty()) before += lane.position(place);
    return before;
}

std::optional<queue::Place> Lanes::last_before(const queue::Place& place) const {
    std::optional<queue::Place> last;
    for (const queue::WaitingLine& lane : lanes_) {
        const std::size_t before = lane.position(place);
        if (before == 0) continue;
        const auto here = lane.at(before - 1);
        if (!last || *last < *here) last = here;
    }
    return last;
}

Walk::Walk(const Lanes& lanes, const queue::Place& after) : lanes_(lanes.lanes_) {
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
        queue::WaitingLine::Spot spot = lanes_[i].spot_after(after);
        if (const queue::Place* first = lanes_[i].look(spot)) cursors_.push_back({DemandId(i), spot, *first});
    }
    choose();
}

void Walk::pass() {
    Cursor& cursor = cursors_[first_];
    ++cursor.spot.index;
    const queue::Place* next = lanes_[cursor.lane.value()].look(cursor.spot);
    if (next == nullptr) {
        close_lane();
        return;
    }
    cursor.place = *next;
    choose();
}

void Walk::close_lane() {
    cursors_[first_] = cursors_.back();
    cursors_.pop_back();
    choose();
}

void Walk::choose() {
    first_ = 0;
    for (std::size_t i = 1; i < cursors_.size(); ++i)
        if (cursors_[i].place < cursors_[first_].place) first_ = i;
}

}  // namespace sy::schedule
