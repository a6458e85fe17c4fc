#include <iterator>

#include <fmt/format.h>

#include "output/charts.h"
#include "output/names.h"
#include "output/quoted.h"

namespace sy::output {

namespace {

double micros(Duration d) {
    return static_cast<double>(d.count()) / 1e3;
}

/// Viewers take thread 0 for the idle one.
std::uint32_t lane_of(std::uint32_t gpu) {
    return gpu + 1;
}

}  // namespace

std::string plan_trace(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
    auto add = [&, first = true](const std::string& event) mutable {
        fmt::format_to(std::back_inserter(out), "{}\n{}", first ? "" : ",", event);
        first = false;
    };
    add(R"({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "plan"}})");
    for (std::uint32_t gpu = 0; gpu < batch.gpus.size(); ++gpu) {
        add(fmt::format(R"({{"ph": "M", "name": "thread_name", "pid": 1, "tid": {}, "args": {{"name": {}}}}})",
                        lane_of(gpu),
                        quoted(fmt::format("gpu{} {} ({})", gpu, batch.kinds[batch.gpus[gpu].kind.value()],
                                           batch.nodes[batch.gpus[gpu].node.value()]))));
        add(fmt::format(
            R"({{"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": {}, "args": {{"sort_index": {}}}}})",
            lane_of(gpu), gpu));
    }
    for (const PlannedJob& job : plan.jobs)
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
            if (job.load)
                add(fmt::format(
                    R"({{"ph": "X", "cat": "switch", "name": {}, "pid": 1, "tid": {}, "ts": {}, "dur": {}}})",
                    quoted("load " + names.model(job.job)), lane_of(gpu.value()), micros(job.load->start - kStart),
                    micros(job.load->end - job.load->start)));
            add(fmt::format(
                R"({{"ph": "X", "cat": "task", "name": {}, "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{"request": {}, "node": {}}}}})",
                quoted(names.model(job.job)), lane_of(gpu.value()), micros(job.start - kStart),
                micros(job.end - job.start), quoted(names.request(job.job)), quoted(names.step(job.job).name)));
        }
    return out + "\n]}\n";
}

}  // namespace sy::output
