// Needs: who waits for whose end. An edge stands here from the acceptance of the one until the end of the other.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/task.h"

namespace sy::control {

/// `task` may not start before `need.task` has ended.
struct NeedEdge {
    TaskId task;
    Need need;

    static constexpr auto fields() { return std::tuple{&NeedEdge::task, &NeedEdge::need}; }
    friend bool operator==(const NeedEdge&, const NeedEdge&) = default;
};

class Needs {
public:
    void add(TaskId task, const std::vector<Need>& after) {
        for (const Need& need : after) add({task, need});
    }
    void add(const NeedEdge& edge) { by_needed_[edge.need.task].push_back(edge); }

    bool anybody_needs(TaskId task) const { return by_needed_.contains(task); }
    /// Those who waited for a task that has ended. They wait for it no more.
    std::vector<NeedEdge> settle(TaskId ended) {
        const auto node = by_needed_.extract(ended);
        return node.empty() ? std::vector<NeedEdge>{} : std::move(node.mapped());
    }

    /// By the needed, then in the order in which they came.
    std::vector<NeedEdge> all() const {
        std::vector<NeedEdge> edges;
        for (const auto& [needed, waiting] : by_needed_) edges.insert(edges.end(), waiting.begin(), waiting.end());
        return edges;
    }
    std::vector<TaskId> of(TaskId task) const {
        std::vector<TaskId> needed;
        for (const auto& [id, waiting] : by_needed_)
            for (const NeedEdge& edge : waiting)
                if (edge.task == task) needed.push_back(id);
        return needed;
    }

private:
    std::map<TaskId, std::vector<NeedEdge>> by_needed_;
};

}  // namespace sy::control
