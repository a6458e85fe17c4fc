#include "core/model/plan.h"

#include <algorithm>

namespace sy {

Duration Plan::makespan() const {
    Instant last = kStart;
    for (const PlannedJob& job : jobs) last = std::max(last, job.end);
    return last - kStart;
}

double Plan::gap() const {
    if (lower_bound <= Duration::zero()) return 0;
    return static_cast<double>(makespan().count()) / static_cast<double>(lower_bound.count()) - 1;
}

std::vector<GpuUse> use_of_gpus(const Plan& plan, std::size_t gpu_count) {
    std::vector<GpuUse> use(gpu_count);
    for (const PlannedJob& job : plan.jobs) {
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
            GpuUse& of = use[gpu.value()];
            of.busy += job.end - job.start;
            if (!job.load) continue;
            of.switching += job.load->end - job.load->start;
            ++of.switches;
        }
    }
    return use;
}

}  // namespace sy
