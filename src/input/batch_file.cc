#include "input/batch_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "input/amounts.h"
#include "input/batch_workflows.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr double kMostTotalSeconds = 5e9;

Bytes bytes_of_gb(double gb) {
    return Bytes(static_cast<std::uint64_t>(std::llround(gb * 1e9)));
}

/// The number of a name in the order of first use.
std::uint32_t number_of(std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::uint32_t>(at - names.begin());
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
}

class BatchReader {
public:
    Batch read(const Node& root) {
        const Map map(root, "the batch", {"cluster", "models", "workflows", "requests"});
        const Map cluster(map.require("cluster"), "cluster", {"gpus", "switch", "holds"});
        read_gpus(cluster.require("gpus"));
        read_models(map.require("models"));
        if (const Node* rules = cluster.find("switch")) read_switch(*rules);
        if (const Node* holds = cluster.find("holds")) read_holds(*holds);
        read_workflows(map.require("workflows"), batch_);
        read_requests(map.require("requests"));
        check_length(map.require("requests"));
        return std::move(batch_);
    }

private:
    void read_gpus(const Node& list) {
        expect(list, Kind::list, "gpus of cluster");
        for (const Node& entry : list.items) {
            const Map gpu(entry, "this entry of gpus", {"kind", "memory_gb", "count", "node"});
            const Node* kind = gpu.find("kind");
            const Node* node = gpu.find("node");
            const Node* count = gpu.find("count");
            BatchGpu spec;
            spec.kind = KindId(number_of(batch_.kinds, kind == nullptr ? "gpu" : text_of(*kind, "kind")));
            spec.node = NodeId(number_of(batch_.nodes, node == nullptr ? "node" : text_of(*node, "node")));
            spec.memory =
                bytes_of_gb(real_of(gpu.require("memory_gb"), gpu.of("memory_gb"), {0, double{kMostGb}, true}));
            const std::uint64_t many = count == nullptr ? 1 : whole_of(*count, gpu.of("count"), 1, kMostBatchGpus);
            if (batch_.gpus.size() + many > kMostBatchGpus)
                throw Refused{
                    entry.mark,
                    fmt::format("the cluster has {} GPUs, the limit is {}", batch_.gpus.size() + many, kMostBatchGpus),
                    "plan for a smaller cluster"};
            batch_.gpus.insert(batch_.gpus.end(), many, spec);
        }
        if (batch_.gpus.empty()) throw Refused{list.mark, "the cluster has no GPUs", "list at least one under gpus"};
    }

    void read_models(const Node& node) {
        expect(node, Kind::map, "models");
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            const std::string& name = node.keys[i].text;
            if (name == "none")
                throw Refused{node.keys[i].mark, "a model cannot be called none", "that word means an empty GPU"};
            const Map model(node.items[i], "model " + name, {"memory_gb", "gpus", "runner"});
            ModelSpec spec;
            spec.name = name;
            spec.memory =
                bytes_of_gb(real_of(model.require("memory_gb"), model.of("memory_gb"), {0, double{kMostGb}, false}));
            if (const Node* gpus = model.find("gpus"))
                spec.gpus = static_cast<GpuCount>(whole_of(*gpus, model.of("gpus"), 1, kMostBatchGpus));
            models_.emplace(name, ModelId(static_cast<std::uint32_t>(batch_.models.size())));
            batch_.models.push_back(std::move(spec));
        }
    }

    ModelId model_named(const Node& name) const {
        const auto found = models_.find(text_of(name, "a model's name"));
        if (found != models_.end()) return found->second;
        throw Refused{name.mark, fmt::format("no model is called {}", shown(name)), "define it under models"};
    }

    void read_switch(const Node& node) {
        const Map rules(node, "switch", {"gb_per_s", "overhead_s", "unload", "matrix"});
        SwitchRules& to = batch_.switching;
        if (const Node* rate = rules.find("gb_per_s"))
            to.bytes_per_second = real_of(*rate, rules.of("gb_per_s"), {0, double{kMostGb}, true}) * 1e9;
        if (const Node* overhead = rules.find("overhead_s"))
            to.overhead = to_duration(real_of(*overhead, rules.of("overhead_s"), {0, kMostBatchSeconds, false}));
        if (const Node* unload = rules.find("unload")) to.unload = flag_of(*unload, rules.of("unload"));
        if (const Node* matrix = rules.find("matrix")) {
            expect(*matrix, Kind::list, rules.of("matrix"));
            for (const Node& entry : matrix->items) to.matrices.push_back(read_matrix(entry));
        }
    }

    SwitchMatrix read_matrix(const Node& node) {
        const Map map(node, "this matrix", {"kind", "from", "to", "seconds"});
        SwitchMatrix matrix;
        if (const Node* kind = map.find("kind")) matrix.kind = kind_named(*kind);
        const Node& from = map.require("from");
        const Node& to = map.require("to");
        const Node& rows = map.require("seconds");
        expect(from, Kind::list, map.of("from"));
        expect(to, Kind::list, map.of("to"));
        expect(rows, Kind::list, map.of("seconds"));
        for (const Node& name : from.items)
            matrix.from.push_back(name.text == "none" ? std::nullopt : std::optional(model_named(name)));
        for (const Node& name : to.items) matrix.to.push_back(model_named(name));
        if (rows.items.size() != from.items.size())
            throw Refused{rows.mark,
                          fmt::format("seconds has {} rows, from has {} names", rows.items.size(), from.items.size()),
                          "write one row for each name in from"};
        for (const Node& row : rows.items) {
            expect(row, Kind::list, "a row of seconds");
            if (row.items.size() != to.items.size())
                throw Refused{
                    row.mark,
                    fmt::format("this row has {} figures, to has {} names", row.items.size(), to.items.size()),
                    "write one figure for each name in to"};
            auto& times = matrix.times.emplace_back();
            for (const Node& figure : row.items)
                times.push_back(to_duration(real_of(figure, "a switch time", {0, kMostBatchSeconds, false})));
        }
        return matrix;
    }

    KindId kind_named(const Node& name) const {
        const auto at = std::find(batch_.kinds.begin(), batch_.kinds.end(), text_of(name, "kind"));
        if (at != batch_.kinds.end()) return KindId(static_cast<std::uint32_t>(at - batch_.kinds.begin()));
        throw Refused{name.mark, fmt::format("no GPU of the cluster is of kind {}", shown(name)),
                      fmt::format("kinds: {}", fmt::join(batch_.kinds, ", "))};
    }

    void read_holds(const Node& node) {
        expect(node, Kind::map, "holds of cluster");
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            const std::uint64_t gpu = whole_of(node.keys[i], "a GPU id in holds", 0, batch_.gpus.size() - 1);
            if (node.items[i].text == "none") continue;
            const ModelId model = model_named(node.items[i]);
            if (batch_.models[model.value()].memory_per_gpu() > batch_.gpus[gpu].memory)
                throw Refused{node.items[i].mark,
                              fmt::format("GPU {} cannot hold {}: it has too little memory", gpu, shown(node.items[i])),
                              "name a model that fits"};
            batch_.gpus[gpu].holds = model;
        }
    }

    void read_requests(const Node& list) {
        expect(list, Kind::list, "requests");
        std::unordered_map<std::string_view, std::uint32_t> workflows;
        for (std::uint32_t w = 0; w < batch_.workflows.size(); ++w) workflows.emplace(batch_.workflows[w].name, w);
        std::vector<std::uint64_t> numbered(batch_.workflows.size());
        std::unordered_set<std::string> ids;
        std::uint64_t jobs = 0;
        for (const Node& entry : list.items) {
            const Map map(entry, "this request",
                          {"workflow", "id", "count", "scale", "priority", "items", "fields", "foreach"});
            const Node& name = map.require("workflow");
            const auto workflow = workflows.find(text_of(name, "workflow"));
            if (workflow == workflows.end())
                throw Refused{name.mark, fmt::format("no workflow is called {}", shown(name)),
                              "define it under workflows"};
            const Node* id = map.find("id");
            const Node* count = map.find("count");
            Request request{{}, workflow->second, 1, Level::normal};
            if (const Node* scale = map.find("scale")) request.scale = real_of(*scale, map.of("scale"), {0, 1e6, true});
            if (const Node* level = map.find("priority")) request.level = level_of(*level);
            const Node* items = map.find("items");
            check_source(map, entry);
            const std::uint64_t many = items != nullptr   ? items->items.size()
                                       : count == nullptr ? 1
                                                          : whole_of(*count, map.of("count"), 0, kMostBatchJobs);
            jobs += many * std::max<std::size_t>(batch_.workflows[request.workflow].steps.size(), 1);
            if (jobs > kMostBatchJobs)
                throw Refused{entry.mark, fmt::format("the batch has over {} nodes, the limit", kMostBatchJobs),
                              "split the batch"};
            for (std::uint64_t i = 0; i < many; ++i) {
                const Node* own = items == nullptr ? nullptr : own_id(items->items[i]);
                request.id = own != nullptr  ? text_of(*own, "id")
                             : id == nullptr ? fmt::format("{}-{}", name.text, numbered[request.workflow]++)
                             : count == nullptr && items == nullptr ? text_of(*id, "id")
                                                                    : fmt::format("{}-{}", text_of(*id, "id"), i);
                if (!ids.insert(request.id).second)
                    throw Refused{entry.mark, fmt::format("two requests are called '{}'", request.id),
                                  "give each its own id"};
                batch_.requests.push_back(request);
            }
        }
    }

    /// Requests are alike, `count` of them, or one for each item.
    static void check_source(const Map& map, const Node& entry) {
        if (map.find("foreach") != nullptr)
            throw Refused{entry.mark, "foreach cannot be read here: the file is not at hand",
                          "name the batch by its path, so that the file is found beside it"};
        const Node* items = map.find("items");
        if (items == nullptr) return;
        expect(*items, Kind::list, map.of("items"));
        for (const Node& item : items->items) expect(item, Kind::map, "an item");
        for (const std::string_view other : {"count", "fields"})
            if (map.find(other) != nullptr)
                throw Refused{entry.mark, fmt::format("this request has items and a {}", other), "keep one of them"};
    }

    static const Node* own_id(const Node& item) {
        for (const std::string_view key : {"custom_id", "id"})
            for (std::size_t i = 0; i < item.keys.size(); ++i)
                if (item.keys[i].text == key && item.items[i].kind == Kind::scalar) return &item.items[i];
        return nullptr;
    }

    /// Even one after another, with a switch each, everything must end while there are nanoseconds to count.
    void check_length(const Node& requests) const {
        double largest = 0;
        for (const ModelSpec& model : batch_.models)
            largest = std::max(largest, static_cast<double>(model.memory.value()) / model.gpus);
        double longest_switch = 2 * largest / batch_.switching.bytes_per_second + to_seconds(batch_.switching.overhead);
        for (const SwitchMatrix& matrix : batch_.switching.matrices)
            for (const auto& row : matrix.times)
                for (const Duration time : row) longest_switch = std::max(longest_switch, to_seconds(time));
        std::vector<double> longest_run(batch_.workflows.size());  // of one request, everything on the slowest kind
        for (std::size_t w = 0; w < batch_.workflows.size(); ++w)
            for (const Step& step : batch_.workflows[w].steps) {
                double slowest = 0;
                for (const auto& seconds : step.seconds) slowest = std::max(slowest, seconds.value_or(0));
                longest_run[w] += slowest;
            }
        double total = 0;
        for (const Request& request : batch_.requests)
            total += longest_run[request.workflow] * request.scale +
                     longest_switch * static_cast<double>(batch_.workflows[request.workflow].steps.size());
        if (total <= kMostTotalSeconds) return;
        throw Refused{requests.mark,
                      fmt::format("one after another the batch would take {:.3g} s, the limit is {:.3g} s", total,
                                  kMostTotalSeconds),
                      "check the units of seconds, scale and gb_per_s, or split the batch"};
    }

    static Level level_of(const Node& node) {
        for (const Level level : {Level::critical, Level::high, Level::normal, Level::low})
            if (node.kind == Kind::scalar && node.text == name_of(level)) return level;
        throw Refused{node.mark, fmt::format("priority is {}, it must be CRITICAL, HIGH, NORMAL or LOW", shown(node)),
                      "write one of these words"};
    }

    static Duration to_duration(double seconds) { return Duration(std::llround(seconds * 1e9)); }

    Batch batch_;
    std::unordered_map<std::string, ModelId> models_;
};

}  // namespace

Result<Batch> read_batch(const Document& document) {
    try {
        return BatchReader().read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    } catch (const Infeasible& infeasible) {
        auto error = invalid_at(document.name, infeasible.mark, infeasible.message, infeasible.fix);
        error.value().fault = Fault::infeasible;
        return error;
    }
}

}  // namespace sy::input
