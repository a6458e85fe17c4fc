#include "input/cluster_file.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/model/limits.h"
#include "input/amounts.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr std::uint64_t kMostGpus = Limits{}.simulated_gpus;
constexpr std::uint64_t kMostCpus = 1'000'000'000;
constexpr const char* kShapeFix = "write nodes x GPUs of each, as in 16x8 or 4x8+2x4, or name a file";

tl::unexpected<Error> wrong_shape(std::string_view shape, const std::string& what, const std::string& fix = kShapeFix) {
    return fail(Fault::usage, fmt::format("the cluster {} {}", shown(shape), what), fix);
}

bool is_shape(std::string_view text) {
    return text.find_first_not_of("0123456789xX+ ") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

/// Nodes and GPUs of each, of "4x8".
std::optional<std::array<std::uint64_t, 2>> parse_term(std::string_view term) {
    const std::size_t x = term.find_first_of("xX");
    if (x == std::string_view::npos) return std::nullopt;
    const auto nodes = parse_number<std::uint64_t>(trimmed(term.substr(0, x)));
    const auto gpus = parse_number<std::uint64_t>(trimmed(term.substr(x + 1)));
    if (!nodes || !gpus) return std::nullopt;
    return std::array{*nodes, *gpus};
}

class ClusterReader {
public:
    Cluster read(const Node& root) {
        expect(root, Kind::map, "the cluster file");
        const bool is_batch = std::any_of(root.keys.begin(), root.keys.end(), [](const Node& key) {
            return key.text == "cluster" || key.text == "workflows" || key.text == "requests";
        });
        if (is_batch) {
            const Map batch(root, "the batch", {"cluster", "models", "workflows", "requests"});
            const Map cluster(batch.require("cluster"), "cluster", {"gpus", "switch", "holds"});
            read_gpus(cluster.require("gpus"));
        } else {
            const Map map(root, "the cluster", {"nodes"});
            read_nodes(map.require("nodes"));
        }
        if (cluster_.nodes.empty())
            throw Refused{root.mark, "the cluster has no nodes", "list at least one, as in {count: 1, gpus: 8}"};
        return std::move(cluster_);
    }

private:
    void read_nodes(const Node& list) {
        expect(list, Kind::list, "nodes");
        for (const Node& entry : list.items) {
            const Map map(entry, "this entry of nodes",
                          {"count", "gpus", "kind", "gpu_memory_gb", "cpus", "memory_gb", "network_gb_s"});
            NodeSpec node;
            node.gpus = static_cast<GpuCount>(whole_of(map.require("gpus"), map.of("gpus"), 1, kMostGpus));
            if (const Node* kind = map.find("kind")) node.kind = kind_named(text_of(*kind, map.of("kind")));
            if (const Node* cpus = map.find("cpus"))
                node.cpus = static_cast<std::uint32_t>(whole_of(*cpus, map.of("cpus"), 0, kMostCpus));
            const auto bytes = [&map](std::string_view key, Bytes& target) {
                if (const Node* value = map.find(key)) target = gigabytes_of(*value, map.of(key), Bytes(0));
            };
            bytes("gpu_memory_gb", node.gpu_memory);
            bytes("memory_gb", node.host_memory);
            bytes("network_gb_s", node.network);
            const Node* count = map.find("count");
            const std::uint64_t many = count == nullptr ? 1 : whole_of(*count, map.of("count"), 1, kMostGpus);
            make_room(entry, many * node.gpus);
            cluster_.nodes.insert(cluster_.nodes.end(), many, node);
        }
    }

    /// A batch file names the node of each GPU; entries of one node may stand apart, but a node is of one sort.
    void read_gpus(const Node& list) {
        expect(list, Kind::list, "gpus of cluster");
        for (const Node& entry : list.items) {
            const Map gpu(entry, "this entry of gpus", {"kind", "memory_gb", "count", "node"});
            const Node* kind = gpu.find("kind");
            const Node* name = gpu.find("node");
            const Node* count = gpu.find("count");
            NodeSpec node;
            if (kind != nullptr) node.kind = kind_named(text_of(*kind, "kind"));
            node.gpu_memory = gigabytes_of(gpu.require("memory_gb"), gpu.of("memory_gb"), Bytes(0));
            const std::uint64_t many = count == nullptr ? 1 : whole_of(*count, gpu.of("count"), 1, kMostGpus);
            make_room(entry, many);
            const std::string called = name == nullptr ? "node" : text_of(*name, "node");
            const auto [at, is_new] = named_.emplace(called, cluster_.nodes.size());
            if (is_new) cluster_.nodes.push_back(node);
            NodeSpec& joined = cluster_.nodes[at->second];
            if (joined.kind != node.kind || joined.gpu_memory != node.gpu_memory)
                throw Refused{entry.mark, fmt::format("node {} has GPUs of two sorts", shown(called)),
                              "give GPUs of another kind or memory another node"};
            joined.gpus += static_cast<GpuCount>(many);
        }
    }

    void make_room(const Node& entry, std::uint64_t more) {
        gpus_ += more;
        if (gpus_ > kMostGpus)
            throw Refused{entry.mark, fmt::format("the cluster has {} GPUs, the limit is {}", gpus_, kMostGpus),
                          "try a smaller cluster"};
    }

    KindId kind_named(const std::string& name) {
        const auto at = std::find(cluster_.kinds.begin(), cluster_.kinds.end(), name);
        const KindId kind(static_cast<std::uint32_t>(at - cluster_.kinds.begin()));
        if (at == cluster_.kinds.end()) cluster_.kinds.push_back(name);
        return kind;
    }

    Cluster cluster_;
    std::uint64_t gpus_ = 0;
    std::map<std::string, std::size_t> named_;
};

}  // namespace

Result<Cluster> parse_shape(std::string_view shape) {
    if (const auto gpus = parse_number<std::uint64_t>(trimmed(shape)))
        return wrong_shape(shape, "does not say how many nodes there are",
                           fmt::format("write 1x{} for one node of {} GPUs, or 8x8 for eight of eight", *gpus, *gpus));
    Cluster cluster;
    std::uint64_t total = 0;
    for (std::size_t at = 0; at <= shape.size();) {
        const std::size_t plus = std::min(shape.find('+', at), shape.size());
        const auto term = parse_term(trimmed(shape.substr(at, plus - at)));
        if (!term) return wrong_shape(shape, "is not a number of nodes times a number of GPUs");
        const auto [nodes, gpus] = *term;
        if (nodes == 0 || gpus == 0) return wrong_shape(shape, "has a part without GPUs");
        if (nodes > kMostGpus || gpus > kMostGpus || (total += nodes * gpus) > kMostGpus)
            return wrong_shape(shape, fmt::format("has too many GPUs, the limit is {}", kMostGpus),
                               "try a smaller cluster");
        NodeSpec node;
        node.gpus = static_cast<GpuCount>(gpus);
        cluster.nodes.insert(cluster.nodes.end(), nodes, node);
        at = plus + 1;
    }
    return cluster;
}

Result<Cluster> parse_cluster(const Document& document) {
    try {
        return ClusterReader().read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

Result<Cluster> read_cluster(const std::string& argument) {
    if (is_shape(argument)) return parse_shape(argument);
    const auto text = read_text(argument);
    if (!text)
        return fail(text.error().fault, text.error().message,
                    text.error().fix + "; a cluster can also be a shape: 16x8 is 16 nodes of 8 GPUs");
    const auto document = parse_document(*text, name_of_file(argument));
    if (!document) return tl::unexpected(document.error());
    return parse_cluster(*document);
}

}  // namespace sy::input
