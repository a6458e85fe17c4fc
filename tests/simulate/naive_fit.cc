#include "simulate/naive_fit.h"

#include <algorithm>

#include "base/check.h"

namespace sy::naive {

namespace {

using Jobs = std::vector<std::size_t>;

/// Somebody holds a place from one instant to another, as far as one expects.
struct Booking {
    Instant from;
    Instant until;
    Place place;
};

std::optional<Place> place_of(const World& world, const Room& room, std::size_t job) {
    return find_place(world.cluster, room, *world.jobs[job].demand);
}

/// Who still runs does not leave before the next nanosecond, whatever was expected.
Booking booking_from(const World& world, Instant from, std::size_t job, const Place& place) {
    return {from, std::max(world.now + 1ns, from + world.jobs[job].expected), place};
}

std::vector<Booking> running_bookings(const World& world) {
    std::vector<Booking> bookings;
    for (std::size_t job = 0; job < world.jobs.size(); ++job)
        if (world.jobs[job].running)
            bookings.push_back(booking_from(world, world.jobs[job].turn_start, job, world.jobs[job].place));
    return bookings;
}

Room room_at(const World& world, const std::vector<Booking>& bookings, Instant at) {
    Room room = available(world.cluster);
    for (const Booking& booking : bookings)
        if (booking.from <= at && at < booking.until) room = without(room, booking.place);
    return room;
}

/// Now, and every later instant at which a booking begins or ends.
std::vector<Instant> instants_from_now(const World& world, const std::vector<Booking>& bookings) {
    std::vector<Instant> instants{world.now};
    for (const Booking& booking : bookings)
        for (const Instant at : {booking.from, booking.until})
            if (at > world.now) instants.push_back(at);
    std::sort(instants.begin(), instants.end());
    return instants;
}

std::vector<Choice> strict(const World& world, const Jobs& waiting) {
    std::vector<Choice> starts;
    Room room = free_now(world);
    for (const std::size_t job : waiting) {
        const auto place = place_of(world, room, job);
        if (!place) break;
        starts.push_back({job, *place});
        room = without(room, *place);
    }
    return starts;
}

std::vector<Choice> skip(const World& world, const Jobs& waiting) {
    std::vector<Choice> starts;
    Room room = free_now(world);
    for (const std::size_t job : waiting) {
        const auto place = place_of(world, room, job);
        if (!place) continue;
        starts.push_back({job, *place});
        room = without(room, *place);
    }
    return starts;
}

/// When the head can start at the latest if everybody leaves as expected, and what is then free beside it.
struct Shadow {
    Instant at;
    Room room;
};

Shadow shadow_of(const World& world, const std::vector<Booking>& bookings, std::size_t head) {
    for (const Instant at : instants_from_now(world, bookings)) {
        const Room room = room_at(world, bookings, at);
        if (const auto place = place_of(world, room, head)) return {at, without(room, *place)};
    }
    SY_CHECK(!world.cluster.away.empty(), "job {} does not fit on the empty cluster", head);
    return {kNever, available(world.cluster)};
}

std::vector<Choice> easy(const World& world, const Jobs& waiting) {
    std::vector<Choice> starts = strict(world, waiting);
    if (starts.size() == waiting.size()) return starts;
    Room room = free_now(world);
    std::vector<Booking> bookings = running_bookings(world);
    for (const Choice& start : starts) {
        room = without(room, start.place);
        bookings.push_back(booking_from(world, world.now, start.job, start.place));
    }
    const std::size_t head = starts.size();
    Shadow shadow = shadow_of(world, bookings, waiting[head]);
    for (std::size_t i = head + 1; i < waiting.size(); ++i) {
        const auto place = place_of(world, room, waiting[i]);
        if (!place) continue;
        const bool is_gone_by_then = world.now + world.jobs[waiting[i]].expected <= shadow.at;
        if (!is_gone_by_then && !holds(shadow.room, *place)) continue;
        if (!is_gone_by_then) shadow.room = without(shadow.room, *place);
        starts.push_back({waiting[i], *place});
        room = without(room, *place);
    }
    return starts;
}

/// What is free all the time from the one instant until just before the other.
Room room_during(const World& world, const std::vector<Booking>& bookings, Instant from, Instant until) {
    Room room = room_at(world, bookings, from);
    for (const Booking& booking : bookings)
        if (from < booking.from && booking.from < until) room = least(room, room_at(world, bookings, booking.from));
    return room;
}

/// Nothing where it would have to wait for a node that has failed.
std::optional<Booking> earliest(const World& world, const std::vector<Booking>& bookings, std::size_t job) {
    const Duration length = std::max<Duration>(1ns, world.jobs[job].expected);
    for (const Instant at : instants_from_now(world, bookings))
        if (const auto place = place_of(world, room_during(world, bookings, at, at + length), job))
            return Booking{at, at + length, *place};
    SY_CHECK(!world.cluster.away.empty(), "job {} does not fit on the empty cluster", job);
    return std::nullopt;
}

std::vector<Choice> conservative(const World& world, const Jobs& waiting) {
    std::vector<Choice> starts;
    std::vector<Booking> bookings = running_bookings(world);
    for (const std::size_t job : waiting) {
        const auto booking = earliest(world, bookings, job);
        if (!booking) continue;
        bookings.push_back(*booking);
        if (bookings.back().from == world.now) starts.push_back({job, bookings.back().place});
    }
    return starts;
}

}  // namespace

std::vector<Choice> choose_starts(const World& world, const Jobs& waiting) {
    if (world.options.fit == "skip") return skip(world, waiting);
    if (world.options.fit == "easy") return easy(world, waiting);
    if (world.options.fit == "conservative") return conservative(world, waiting);
    SY_CHECK(world.options.fit == "strict", "no fit is called {}", world.options.fit);
    return strict(world, waiting);
}

}  // namespace sy::naive
