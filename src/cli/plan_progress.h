// PlanProgress: the best plan so far, in one line that is written over and over, on a terminal only.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/time.h"

namespace sy::cli {

/// May be told by several threads at once.
class PlanProgress {
public:
    /// Without `until` there is no telling how long it takes.
    PlanProgress(Duration bound, std::optional<Duration> until);

    void improved(Duration makespan);
    void show();
    void clear();

private:
    void show_now(Duration now);
    std::string left(Duration now) const;

    std::mutex mutex_;
    Duration bound_;
    std::optional<Duration> until_;
    bool is_terminal_;
    Duration best_{};
    Duration last_{};
};

/// Since an arbitrary start, steadily.
Duration real_time();

}  // namespace sy::cli
