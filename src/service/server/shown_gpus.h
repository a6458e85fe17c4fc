// What a task sees of a machine's GPUs: those it was given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "service/wire/messages.h"

namespace sy::server {

/// `visible`: how each GPU of the machine is named to a task, the first of them being `first`. Empty: they are not.
inline wire::ToWorker with_gpus_shown(wire::ToWorker message, GpuId first, const std::vector<std::string>& visible) {
    auto* assignment = std::get_if<wire::Assignment>(&message);
    if (assignment == nullptr || visible.empty()) return message;
    const GpuSpan& span = assignment->start.span;
    std::string shown;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        shown += (shown.empty() ? "" : ",") + visible[gpu.value() - first.value()];
    assignment->work.environment.push_back({"CUDA_VISIBLE_DEVICES", shown});
    if (assignment->beside) assignment->beside->work.environment.push_back({"CUDA_VISIBLE_DEVICES", shown});
    return message;
}

}  // namespace sy::server
