#include "input/batch_workflows.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "input/amounts.h"
#include "input/batch_content.h"

namespace sy::input {

namespace {

/// Of a step with content that says nothing; what is learnt while the batch runs counts soon.
constexpr double kUnknownSeconds = 1;

using Kinds = std::set<std::uint32_t>;

/// The kinds that meet in each run of GPUs with room for a model: enough memory, consecutive, on one node.
std::set<Kinds> runs_with_room(const Batch& batch, const ModelSpec& model) {
    std::set<Kinds> runs;
    for (std::size_t begin = 0; begin + model.gpus <= batch.gpus.size(); ++begin) {
        Kinds kinds;
        std::size_t i = begin;
        for (; i < begin + model.gpus; ++i) {
            const BatchGpu& gpu = batch.gpus[i];
            if (gpu.node != batch.gpus[begin].node || gpu.memory < model.memory_per_gpu()) break;
            kinds.insert(gpu.kind.value());
        }
        if (i == begin + model.gpus) runs.insert(kinds);
        if (!runs.empty() && batch.kinds.size() == 1) break;  // all others are like it
    }
    return runs;
}

class WorkflowReader {
public:
    WorkflowReader(const Node& node, Batch& batch) : node_(node), batch_(batch) {
        for (std::uint32_t m = 0; m < batch.models.size(); ++m) {
            models_.emplace(batch.models[m].name, ModelId(m));
            room_.push_back(runs_with_room(batch, batch.models[m]));
        }
    }

    void read() {
        expect(node_, Kind::map, "workflows");
        for (std::size_t i = 0; i < node_.keys.size(); ++i) {
            workflow_ = Workflow{node_.keys[i].text, {}};
            read_steps(node_.items[i]);
            find_levels(node_.items[i]);
            batch_.workflows.push_back(std::move(workflow_));
        }
    }

private:
    void read_steps(const Node& node) {
        expect(node, Kind::map, "workflow " + workflow_.name);
        steps_.clear();
        for (std::uint32_t s = 0; s < node.keys.size(); ++s) steps_.emplace(node.keys[s].text, s);
        for (std::uint32_t s = 0; s < node.keys.size(); ++s) read_step(node.keys[s], node.items[s]);
    }

    void read_step(const Node& key, const Node& node) {
        std::vector<std::string_view> known = content_keys();
        known.insert(known.end(), {"model", "seconds", "needs"});
        const Map map(node, fmt::format("node {} of workflow {}", key.text, workflow_.name), std::move(known));
        Step step;
        step.name = key.text;
        check_one_content(map, key);
        const bool is_command = map.find("command") != nullptr;
        const Node& model = is_command ? key : map.require("model");
        step.model = is_command ? command_model() : model_named(model, map);
        const bool has_content = is_command || map.find("request") != nullptr || map.find("input") != nullptr;
        step.seconds = has_content && map.find("seconds") == nullptr
                           ? std::vector<std::optional<double>>(batch_.kinds.size(), kUnknownSeconds)
                           : read_seconds(map.require("seconds"), map);
        if (const Node* needs = map.find("needs")) {
            expect(*needs, Kind::list, map.of("needs"));
            for (const Node& need : needs->items) step.needs.push_back(step_named(need));
        }
        for (const std::string& name : steps_named_in(node)) step.needs.push_back(step_of_template(name, node));
        check_can_run(step, model);
        workflow_.steps.push_back(std::move(step));
    }

    ModelId model_named(const Node& name, const Map& map) const {
        const auto found = models_.find(text_of(name, map.of("model")));
        if (found != models_.end()) return found->second;
        throw Refused{name.mark, fmt::format("no model is called {}", shown(name)), "define it under models"};
    }

    /// Commands use no model. To the planner they share one that weighs nothing.
    ModelId command_model() {
        const auto [known, is_new] =
            models_.emplace(kCommandModel, ModelId(static_cast<std::uint32_t>(batch_.models.size())));
        if (is_new) {
            batch_.models.push_back({std::string(kCommandModel), Bytes(0), 1});
            room_.push_back(runs_with_room(batch_, batch_.models.back()));
        }
        return known->second;
    }

    static void check_one_content(const Map& map, const Node& key) {
        std::vector<std::string_view> said;
        for (const std::string_view what : {"request", "command", "input"})
            if (map.find(what) != nullptr) said.push_back(what);
        if (said.size() > 1)
            throw Refused{key.mark, fmt::format("{} has both {} and {}", map.what(), said[0], said[1]),
                          "keep one of them"};
        if (map.find("command") != nullptr && map.find("model") != nullptr)
            throw Refused{key.mark, fmt::format("{} has both command and model", map.what()), "keep one of them"};
    }

    std::uint32_t step_of_template(const std::string& name, const Node& node) const {
        const auto found = steps_.find(name);
        if (found != steps_.end()) return found->second;
        throw Refused{
            node.mark,
            fmt::format("a template names the step '{}', which workflow {} does not have", name, workflow_.name),
            "name a node of the same workflow"};
    }

    std::uint32_t step_named(const Node& name) const {
        const auto found = steps_.find(text_of(name, "a need"));
        if (found != steps_.end()) return found->second;
        throw Refused{name.mark, fmt::format("workflow {} has no node {}", workflow_.name, shown(name)),
                      "name a node of the same workflow"};
    }

    std::vector<std::optional<double>> read_seconds(const Node& node, const Map& map) const {
        const Range range{0, kMostBatchSeconds, false};
        if (node.kind != Kind::map)
            return std::vector<std::optional<double>>(batch_.kinds.size(), real_of(node, map.of("seconds"), range));
        std::vector<std::optional<double>> seconds(batch_.kinds.size());
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
            const double value = real_of(node.items[i], map.of("seconds"), range);
            const auto kind = std::find(batch_.kinds.begin(), batch_.kinds.end(), node.keys[i].text);
            if (kind == batch_.kinds.end())
                throw Refused{node.keys[i].mark,
                              fmt::format("no GPU of the cluster is of kind {}", shown(node.keys[i])),
                              fmt::format("kinds: {}", fmt::join(batch_.kinds, ", "))};
            seconds[static_cast<std::size_t>(kind - batch_.kinds.begin())] = value;
        }
        return seconds;
    }

    void check_can_run(const Step& step, const Node& model_name) const {
        const ModelSpec& model = batch_.models[step.model.value()];
        const std::set<Kinds>& room = room_[step.model.value()];
        const bool held = !room.empty();
        const bool runs = std::any_of(room.begin(), room.end(), [&](const Kinds& kinds) {
            return std::all_of(kinds.begin(), kinds.end(),
                               [&](std::uint32_t k) { return step.seconds[k].has_value(); });
        });
        const double gb = static_cast<double>(model.memory_per_gpu().value()) / 1e9;
        if (!held)
            throw Infeasible{
                model_name.mark,
                fmt::format(
                    "model {} fits nowhere: it needs {:g} GB on {}", model.name, gb,
                    model.gpus == 1 ? "one GPU" : fmt::format("each of {} consecutive GPUs of one node", model.gpus)),
                "use more or larger GPUs, or split the model over more of them"};
        if (!runs)
            throw Infeasible{
                model_name.mark,
                fmt::format("node {} of workflow {} can run on no GPU: seconds names no kind that has room for {}",
                            step.name, workflow_.name, model.name),
                "give its seconds on such a kind"};
    }

    /// Levels by peeling off what needs nothing more; what is left over runs in a circle (P2, P5).
    void find_levels(const Node& node) {
        auto& steps = workflow_.steps;
        std::vector<std::size_t> open(steps.size());
        std::vector<std::vector<std::uint32_t>> successors(steps.size());
        std::vector<std::uint32_t> ready;
        for (std::uint32_t s = 0; s < steps.size(); ++s) {
            std::sort(steps[s].needs.begin(), steps[s].needs.end());
            steps[s].needs.erase(std::unique(steps[s].needs.begin(), steps[s].needs.end()), steps[s].needs.end());
            open[s] = steps[s].needs.size();
            if (open[s] == 0) ready.push_back(s);
            for (const std::uint32_t need : steps[s].needs) successors[need].push_back(s);
        }
        for (std::size_t i = 0; i < ready.size(); ++i)
            for (const std::uint32_t next : successors[ready[i]]) {
                steps[next].level = std::max(steps[next].level, steps[ready[i]].level + 1);
                if (--open[next] == 0) ready.push_back(next);
            }
        if (ready.size() < steps.size()) refuse_cycle(node, open);
    }

    [[noreturn]] void refuse_cycle(const Node& node, const std::vector<std::size_t>& open) const {
        // From a step that never became ready, walk back along needs that never did either, until one comes twice.
        std::vector<std::uint32_t> way{static_cast<std::uint32_t>(
            std::find_if(open.begin(), open.end(), [](std::size_t n) { return n > 0; }) - open.begin())};
        std::vector<std::uint32_t>::iterator again;
        do {
            const auto& needs = workflow_.steps[way.back()].needs;
            const std::uint32_t stuck =
                *std::find_if(needs.begin(), needs.end(), [&](std::uint32_t n) { return open[n] > 0; });
            way.push_back(stuck);
            again = std::find(way.begin(), way.end() - 1, stuck);
        } while (again == way.end() - 1);
        std::string names;
        for (auto step = again; step != way.end(); ++step)
            names += (names.empty() ? "" : " needs ") + workflow_.steps[*step].name;
        throw Refused{node.keys[*again].mark, fmt::format("workflow {} runs in a circle: {}", workflow_.name, names),
                      "drop one of these needs"};
    }

    const Node& node_;
    Batch& batch_;
    std::unordered_map<std::string, ModelId> models_;
    std::vector<std::set<Kinds>> room_;  ///< By model.
    std::unordered_map<std::string, std::uint32_t> steps_;
    Workflow workflow_;
};

}  // namespace

void read_workflows(const Node& node, Batch& batch) {
    WorkflowReader(node, batch).read();
}

}  // namespace sy::input
