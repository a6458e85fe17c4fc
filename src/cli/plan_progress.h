// PlanProgress: the best plan so far, in one line that is written over and over, on a terminal only.
#pragma once

#include <mutex>

#include "base/time.h"

namespace sy::cli {

/// May be told by several threads at once.
class PlanProgress {
public:
    PlanProgress(Duration bound, Duration until);

    void improved(Duration makespan);
    void show();
    void clear();

private:
    void show_now(Duration now);

    std::mutex mutex_;
    Duration bound_;
    Duration until_;
    bool is_terminal_;
    Duration best_{};
    Duration last_{};
};

/// Since an arbitrary start, steadily.
Duration real_time();

}  // namespace sy::cli
