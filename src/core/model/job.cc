#include "core/model/job.h"

#include <algorithm>

namespace sy {

std::uint64_t gpus_of(const Cluster& cluster) {
    std::uint64_t gpus = 0;
    for (const NodeSpec& node : cluster.nodes) gpus += node.gpus;
    return gpus;
}

void join_kinds(Trace& trace, Cluster& cluster) {
    std::vector<std::string>& all = cluster.kinds;  // its own numbers stay
    std::vector<KindId> renamed;
    for (const std::string& kind : trace.kinds) {
        const auto at = static_cast<std::size_t>(std::find(all.begin(), all.end(), kind) - all.begin());
        if (at == all.size()) all.push_back(kind);
        renamed.emplace_back(static_cast<std::uint32_t>(at));
    }
    for (Demand& demand : trace.demands) demand.kind = renamed[demand.kind.value()];
    trace.kinds = all;
}

const char* name_of(Work work) {
    switch (work) {
        case Work::batch: return "batch";
        case Work::online: return "online";
        case Work::stream: return "stream";
    }
    return "?";
}

}  // namespace sy
