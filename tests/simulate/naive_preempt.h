// Orders that stop and resume: one line of all unfinished jobs, walked from an empty cluster at every pass.
#pragma once

#include <vector>

#include "simulate/naive_world.h"

namespace sy::naive {

bool is_preemptive(const Options& options);

/// The next instant after now at which a slice ends, a job has had its queue's share, or a boost is due.
Instant next_timer(const World& world);
/// Slice ends, or boost and demotions, as far as they are due now.
void meet_timers(World& world);
/// Brings the line into the order of the walk.
void sort_line(World& world);
/// Who runs from now on, and where.
std::vector<Choice> choose_running(const World& world);
/// After the decision: in each queue of mlfq and las the waiting go behind the running.
void settle_line(World& world);

}  // namespace sy::naive
