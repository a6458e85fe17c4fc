// What changes from one decision to the next, where GPUs are only counted.
//
// The rule is a walk through the whole list from an empty cluster. Between two decisions the list changes only by
// running tasks that move forward past others. If a task that was taken passes one that was not, both are treated as
// before: the latter did not fit with more room than it would see now. If it passes one that was taken too, both fitted
// at once. So the walk's answer changes only where a task came, left or was sent to the back.
//
// A waiting task W is taken iff the GPUs not held by running tasks before it are enough: those free, and those held by
// running tasks behind it. In a lane (equal width) the first who waits sees the most room, so only the first of each
// lane has to be asked. Taking W may overrun the cluster; then the first running task, in list order, that no longer
// fits is dropped, and so on; whichever of "fits now" and "overruns" comes first in the list goes first, as in the
// walk. Cost of a decision with D widths: O(D²) comparisons for each task that starts or stops, plus up to one look for
// each GPU the first of a lane needs. The naive walk in the tests gives the same, job for job.
#include "base/check.h"
#include "core/schedule/greedy.h"

namespace sy::schedule {

void Greedy::settle_by_count() {
    for (;;) {
        Standing* fits = first_that_fits();
        Standing* overruns = free_ < 0 ? first_that_overruns() : nullptr;
        if (fits != nullptr && (overruns == nullptr || ranking_.before(*fits, *overruns))) {
            take(*fits);
        } else if (overruns != nullptr) {
            drop(*overruns);
        } else {
            return;
        }
    }
}

bool Greedy::fits_by_count(const Standing& standing) const {
    std::int64_t missing = static_cast<std::int64_t>(standing.candidate.gpus) - free_;
    for (const Lane& lane : lanes_) {
        for (std::size_t i = 0; missing > 0 && i < lane.running.size(); ++i) {
            const Standee& running = lane.running.from_back(i);
            const auto order = ranking_.by_rank(standing, running, lane.demand.gpus);
            const bool behind = order < 0 || (order == 0 && ranking_.before(standing, task(running)));
            if (!behind) break;
            missing -= lane.demand.gpus;
        }
    }
    return missing <= 0;
}

Standing* Greedy::first_that_fits() {
    Standing* first = nullptr;
    for (Lane& lane : lanes_) {
        if (lane.waiting.empty()) continue;
        Standing& head = task(lane.waiting.front());
        if ((first == nullptr || ranking_.before(head, *first)) && fits_by_count(head)) first = &head;
    }
    return first;
}

/// From the last running task forward, until what was passed is as much as there is too much.
Standing* Greedy::first_that_overruns() {
    std::vector<std::size_t> passed(lanes_.size(), 0);
    for (std::int64_t behind = 0;;) {
        Standing* last = nullptr;
        for (std::size_t i = 0; i < lanes_.size(); ++i) {
            if (passed[i] == lanes_[i].running.size()) continue;
            Standing& candidate = task(lanes_[i].running.from_back(passed[i]));
            if (last == nullptr || ranking_.before(*last, candidate)) last = &candidate;
        }
        SY_CHECK(last != nullptr, "{} GPUs are held by nobody", -free_ - behind);
        behind += last->candidate.gpus;
        if (behind >= -free_) return last;
        ++passed[last->demand.value()];
    }
}

}  // namespace sy::schedule
