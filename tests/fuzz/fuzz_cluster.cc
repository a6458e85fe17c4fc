// A cluster, as a file and as a shape, and how its nodes fail; simulated devices. What is accepted has GPUs, and no
// more than the limit.
#include <string_view>

#include "base/check.h"
#include "core/model/limits.h"
#include "fuzz/target.h"
#include "input/cluster_file.h"
#include "input/device_file.h"
#include "input/fault_file.h"

namespace {

void must_be_a_cluster(const sy::Cluster& cluster) {
    const std::uint64_t gpus = sy::gpus_of(cluster);
    SY_CHECK(gpus > 0 && gpus <= sy::Limits{}.simulated_gpus, "{} GPUs", gpus);
    for (const sy::NodeSpec& node : cluster.nodes)
        SY_CHECK(node.gpus > 0 && node.kind.value() < cluster.kinds.size(), "{} GPUs on a node", node.gpus);
}

void must_be_devices(const sy::input::DeviceFile& devices) {
    SY_CHECK(!devices.gpus.empty() && devices.gpus.size() <= sy::input::kMostPretendedGpus, "{} GPUs",
             devices.gpus.size());
    for (const sy::input::DeviceFault& fault : devices.faults)
        SY_CHECK(fault.gpu < devices.gpus.size() && fault.from < fault.until, "GPU {}", fault.gpu);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto shape = sy::input::parse_shape(text)) must_be_a_cluster(*shape);
    const auto document = sy::input::parse_document(text, "fuzz");
    if (!document) return 0;
    if (const auto cluster = sy::input::parse_cluster(*document)) must_be_a_cluster(*cluster);
    if (const auto devices = sy::input::parse_devices(*document)) must_be_devices(*devices);
    if (const auto faults = sy::input::parse_faults(*document, 4))
        for (const sy::Outage& outage : faults->certain)
            SY_CHECK(outage.node < sy::NodeId(4) && outage.from < outage.until, "node {}", outage.node.value());
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {
        "16x8",
        "4x8+2x4",
        "64",
        "nodes:\n  - {count: 4, gpus: 8, kind: a100, gpu_memory_gb: 80, cpus: 96, memory_gb: 1024, network_gb_s: 50}\n",
        "outages:\n  - {node: 3, at_s: 600, for_s: 0.5}\nrandom: {seed: 7, mean_up_s: 86400, mean_down_s: 600}\n",
        "gpus: [{kind: a, memory_gb: 80, gb_per_s: 16, count: 4}]\nfaults:\n  - {gpu: 1, at_s: 3, for_s: 2, what: xid, "
        "xid: 79}\n  - {gpu: 0, at_s: 0, what: stranger, memory_gb: 30}\n  - {gpu: 0, at_s: 0, what: hot, celsius: "
        "9}\n",
        R"({"cluster": {"gpus": [{"kind": "a", "memory_gb": 80, "count": 3, "node": "x"}, {"memory_gb": 9}]}})"};
}
