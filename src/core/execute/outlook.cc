// How the run would go on if everything took as long as expected and nothing were planned anew: a copy of the conductor
// is told so. It costs about as much as a pass of dispatch and can be compared with what one promises.
#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/execute/conductor.h"

namespace sy::execute {

Conductor::Outlook Conductor::outlook() const {
    Conductor copy(*this);
    copy.only_looks_ahead_ = true;
    copy.settings_.ahead = 0;
    return copy.run_as_expected();
}

Conductor::Outlook Conductor::run_as_expected() {
    using End = std::tuple<Instant, JobIndex, GpuId>;  // Underway::kLoad: a load on that GPU and its group
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    for (const plan::Underway& busy : situation().underway) ends.emplace(busy.end, busy.job, busy.gpus.first);
    const auto follow = [&](const std::vector<Order>& orders) {
        for (const Order& order : orders) {
            if (const auto* start = std::get_if<Start>(&order))
                ends.emplace(jobs_[start->job].ends_by, start->job, start->gpus.first);
            else {
                const GpuId first = std::get<Load>(order).gpus.first;
                ends.emplace(seats_.at(first).loaded_by, plan::Underway::kLoad, first);
            }
        }
    };
    follow(decide(now_));
    while (!ends.empty()) {
        const Instant next = std::get<0>(ends.top());
        while (!ends.empty() && std::get<0>(ends.top()) == next) {
            const auto [at, job, gpu] = ends.top();
            ends.pop();
            if (job != plan::Underway::kLoad)
                ended(job, at);
            else
                loaded(*seats_.at(gpu).model, seats_.at(gpu).group, at);
        }
        follow(decide(next));
    }
    return {left(), now_};
}

}  // namespace sy::execute
