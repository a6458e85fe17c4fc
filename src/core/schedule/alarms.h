// Alarms: when a running task's spell ends. An alarm is void once the task's timer number has moved on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace sy::schedule {

struct Alarm {
    Instant at;
    TaskId task;
    std::uint32_t timer = 0;
};

class Alarms {
public:
    bool empty() const { return heap_.empty(); }
    const Alarm& next() const { return heap_.front(); }

    void set(const Alarm& alarm) {
        heap_.push_back(alarm);
        std::push_heap(heap_.begin(), heap_.end(), Later{});
    }
    void drop_next() {
        std::pop_heap(heap_.begin(), heap_.end(), Later{});
        heap_.pop_back();
    }

private:
    struct Later {
        bool operator()(const Alarm& a, const Alarm& b) const { return a.at != b.at ? a.at > b.at : a.task > b.task; }
    };

    std::vector<Alarm> heap_;
};

}  // namespace sy::schedule
