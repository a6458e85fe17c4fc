// Pieces: who wants to hear the parts of a task's answer while it comes. One listener a task; what nobody listens to is
// dropped, and the task's output has it all in the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/ids.h"

namespace sy::server {

class Pieces {
public:
    /// A JSON document each, in order. A new attempt begins at the beginning.
    using Hear = std::function<void(std::uint32_t attempt, std::string_view json)>;

    /// From now on; a later listener takes the place of an earlier one.
    void listen(TaskId task, Hear hear) { listeners_.insert_or_assign(task.value(), std::move(hear)); }
    void forget(TaskId task) { listeners_.erase(task.value()); }
    bool has_listener(TaskId task) const { return listeners_.contains(task.value()); }

    void hand_on(TaskId task, std::uint32_t attempt, std::string_view json) {
        const auto found = listeners_.find(task.value());
        if (found == listeners_.end()) return;
        const Hear hear = found->second;  // it may forget itself
        hear(attempt, json);
    }

private:
    std::unordered_map<std::uint64_t, Hear> listeners_;
};

}  // namespace sy::server
