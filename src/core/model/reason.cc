#include "core/model/reason.h"

#include <fmt/core.h>

namespace sy {

namespace {
double in_gb(std::int64_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}
}  // namespace

std::string describe(const Reason& reason) {
    switch (reason.cause) {
        case Cause::none: return "no reason";
        case Cause::no_gpus: return "asks for 0 GPUs, at least 1 is needed";
        case Cause::gang_too_wide:
            return fmt::format("asks for {} GPUs of one node, the widest node has {}", reason.asked, reason.limit);
        case Cause::memory_too_large:
            return fmt::format("asks for {:g} GB on each GPU, at most {:g} GB can be had", in_gb(reason.asked),
                               in_gb(reason.limit));
        case Cause::no_such_node:
            return fmt::format("asks for {} GPUs of a kind, or with CPUs, memory or network, that no node has",
                               reason.asked);
        case Cause::timeout_not_positive: return fmt::format("timeout is {} ns, it must be above 0", reason.asked);
        case Cause::timeout_too_long:
            return fmt::format("timeout is {} s, the limit is {} s", reason.asked / 1'000'000'000,
                               reason.limit / 1'000'000'000);
        case Cause::negative_estimate: return fmt::format("estimate is {} ns, it must not be negative", reason.asked);
        case Cause::too_many_retries:
            return fmt::format("asks for {} retries, the limit is {}", reason.asked, reason.limit);
        case Cause::too_many_tasks:
            return fmt::format("{} tasks are waiting or running already, the limit is {}", reason.asked, reason.limit);
        case Cause::too_many_gpus:
            return fmt::format("the cluster would have {} GPUs, the limit is {}", reason.asked, reason.limit);
        case Cause::node_too_wide:
            return fmt::format("the node has {} GPUs, the limit is {} a node", reason.asked, reason.limit);
        case Cause::unknown_task: return fmt::format("there is no task {}", reason.asked);
        case Cause::already_ended: return fmt::format("task {} has already ended", reason.asked);
        case Cause::delay_out_of_range:
            return fmt::format("delay is {} s, it must be from 0 to {} s", reason.asked / 1'000'000'000,
                               reason.limit / 1'000'000'000);
        case Cause::too_many_needs:
            return fmt::format("waits for {} tasks, the limit is {}", reason.asked, reason.limit);
        case Cause::unknown_gpu: return fmt::format("there is no gpu{}", reason.asked);
        case Cause::tied_to_other_number:
            return fmt::format("is tied to {} GPUs and needs {}", reason.asked, reason.limit);
        case Cause::node_known: return fmt::format("the node with the name {} is known already", reason.asked);
        case Cause::no_such_kind: return "asks for GPUs of a kind that no node has";
        case Cause::unknown_node: return fmt::format("there is no node with the name {}", reason.asked);
        case Cause::node_in_use: return fmt::format("gpu{} is still in use", reason.asked);
        case Cause::not_in_line:
            return fmt::format("task {} does not stand in line{}", reason.asked,
                               reason.limit == 0 ? ": it is at work already"
                                                 : " yet: its time has not come, or tasks it waits for have not ended");
        case Cause::another_level:
            return fmt::format("task {} is of another level than task {}: change its priority first", reason.asked,
                               reason.limit);
        case Cause::order_decides:
            return fmt::format("task {} cannot be moved: under this order its place follows from what it is",
                               reason.asked);
    }
    return "unknown reason";
}

}  // namespace sy
