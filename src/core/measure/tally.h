// Tally: how often things happened, counted by the brain itself so that replay gives the same figures.
#pragma once

#include <cstdint>
#include <tuple>

#include "core/model/task.h"

namespace sy::measure {

struct Tally {
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;
    std::uint64_t started = 0;
    std::uint64_t voided = 0;
    std::uint64_t preempted = 0;  ///< Of those, attempts that made way for another task.
    std::uint64_t late_reports = 0;
    std::uint64_t workers_lost = 0;
    std::uint64_t succeeded = 0;
    std::uint64_t failed = 0;
    std::uint64_t timed_out = 0;
    std::uint64_t lost = 0;
    std::uint64_t cancelled = 0;
    std::uint64_t skipped = 0;

    std::uint64_t ended() const { return succeeded + failed + timed_out + lost + cancelled + skipped; }

    std::uint64_t& of(End end) {
        switch (end) {
            case End::succeeded: return succeeded;
            case End::failed: return failed;
            case End::timed_out: return timed_out;
            case End::lost: return lost;
            case End::cancelled: return cancelled;
            case End::skipped: break;
        }
        return skipped;
    }

    static constexpr auto fields() {
        return std::tuple{&Tally::accepted,  &Tally::refused,      &Tally::started,      &Tally::voided,
                          &Tally::preempted, &Tally::late_reports, &Tally::workers_lost, &Tally::succeeded,
                          &Tally::failed,    &Tally::timed_out,    &Tally::lost,         &Tally::cancelled,
                          &Tally::skipped};
    }
    friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace sy::measure
