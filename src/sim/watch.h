// Watch: sees everything that happens in a drill and says what must never happen.
//
// It stands outside: it looks at processes, answers and the durable record, never at the brains' own state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "core/agent/agent.h"
#include "core/model/effect.h"

namespace sy::sim {

class Watch {
public:
    /// Broken promises, in the order in which they were noticed.
    const std::vector<std::string>& violations() const { return violations_; }
    void violated(std::string what) { violations_.push_back(std::move(what)); }

    void process_started(const agent::Launch& launch);
    void process_ended(const agent::Launch& launch, bool success);
    /// Whether that attempt ever began.
    bool has_begun(Fence fence) const { return fences_.contains(fence); }
    /// A model lies on these GPUs now, or no more.
    void model_changed(const GpuSpan& span, NameId model, bool loaded);

    /// A client has heard that its task is accepted.
    void answered(TaskId task) { answered_.insert(task); }
    const std::set<TaskId>& answered_tasks() const { return answered_; }

    /// An event with this number in the journal had this effect.
    void recorded(std::size_t number, const Effect& effect);
    /// The server crashed; of its journal this much is left.
    void forgotten_after(std::size_t number);

    /// When all is over: whoever was answered has ended.
    void check_all_ended();
    std::size_t ended_count() const { return ended_.size(); }

private:
    struct Ending {
        std::size_t number = 0;  ///< In the journal.
        TaskEnded ended;
    };

    void check_room(const agent::Launch& launch);

    std::map<GpuId, agent::Launch> on_gpu_;
    std::map<GpuId, std::multiset<NameId>> models_;  ///< What lies on each, whoever loaded it.
    std::map<TaskId, agent::Launch> of_task_;
    std::set<std::pair<TaskId, std::uint32_t>> successes_;  ///< Attempts whose process ended well.
    std::set<Fence> fences_;                                ///< Of every process that ever started.
    std::set<TaskId> answered_;
    std::map<TaskId, Ending> ended_;
    std::vector<std::string> violations_;
};

}  // namespace sy::sim
