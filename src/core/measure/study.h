// Study: one policy tried on a trace, as far as people look at it: figures, the course of things, who got what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measure/course.h"
#include "core/measure/indicators.h"
#include "core/measure/spell.h"

namespace sy::measure {

struct Study {
    std::string order;
    Indicators indicators;
    double lower_bound_mean_jct_s = 0;  ///< No policy whatever does better on this trace and cluster.
    std::uint64_t events = 0;
    double cpu_s = 0;  ///< Of the replay alone.
    Course course;
    std::vector<UserShare> users;
    std::vector<double> completion_s;  ///< Evenly spaced quantiles of the completion times, least and largest included.
    Instant zero;                      ///< What the times of charts count from: the first submission, or the opening.
    std::vector<Spell> spells;         ///< By start; as many as were asked for.
    Instant spells_until = kNever;     ///< From here on there are more than that.
};

}  // namespace sy::measure
