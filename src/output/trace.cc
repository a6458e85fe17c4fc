#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/charts.h"
#include "output/names.h"

namespace sy::output {

namespace {

double micros(Instant t) {
    return static_cast<double>((t - kStart).count()) / 1e3;
}

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

}  // namespace

std::string plan_trace(const Batch& batch, const Plan& plan) {
    const Names names(batch);
    std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
    auto add = [&, first = true](const std::string& event) mutable {
        fmt::format_to(std::back_inserter(out), "{}\n{}", first ? "" : ",", event);
        first = false;
    };
    for (std::size_t gpu = 0; gpu < batch.gpus.size(); ++gpu)
        add(fmt::format(R"({{"ph": "M", "name": "thread_name", "pid": 1, "tid": {}, "args": {{"name": {}}}}})", gpu,
                        quoted(fmt::format("gpu{} {} ({})", gpu, batch.kinds[batch.gpus[gpu].kind.value()],
                                           batch.nodes[batch.gpus[gpu].node.value()]))));
    for (const PlannedJob& job : plan.jobs)
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
            if (job.load)
                add(fmt::format(
                    R"({{"ph": "X", "cat": "switch", "name": {}, "pid": 1, "tid": {}, "ts": {}, "dur": {}}})",
                    quoted("load " + names.model(job.job)), gpu.value(), micros(job.load->start),
                    micros(job.load->end) - micros(job.load->start)));
            add(fmt::format(
                R"({{"ph": "X", "cat": "task", "name": {}, "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{"request": {}, "node": {}}}}})",
                quoted(names.model(job.job)), gpu.value(), micros(job.start), micros(job.end) - micros(job.start),
                quoted(names.request(job.job)), quoted(names.step(job.job).name)));
        }
    return out + "\n]}\n";
}

}  // namespace sy::output
