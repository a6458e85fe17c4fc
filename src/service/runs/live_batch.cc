#include "service/runs/live_batch.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "input/batch_file.h"
#include "input/batch_workflows.h"
#include "input/json_text.h"

namespace sy::runs {

namespace {

using input::Kind;
using input::Node;

Node* find(Node& map, std::string_view key) {
    for (std::size_t i = 0; i < map.keys.size(); ++i)
        if (map.keys[i].text == key) return &map.items[i];
    return nullptr;
}

Node scalar(std::string text, bool quoted = true) {
    return {Kind::scalar, {}, std::move(text), {}, {}, quoted};
}

Node number(double value) {
    return scalar(fmt::format("{}", value), false);
}

Node empty(Kind kind) {
    return {kind, {}, {}, {}, {}, false};
}

void set(Node& map, std::string_view key, Node value) {
    if (Node* there = find(map, key)) {
        *there = std::move(value);
        return;
    }
    map.keys.push_back(scalar(std::string(key)));
    map.items.push_back(std::move(value));
}

double gigabytes_of(Bytes bytes) {
    return static_cast<double>(bytes.value()) / 1e9;
}

class Completer {
public:
    Completer(Node& root, const LiveFacts& facts) : root_(root), facts_(facts) {
        for (const LiveGpu& gpu : facts.gpus) kinds_.insert(gpu.kind);
    }

    void complete() {
        if (root_.kind != Kind::map) return;  // read_batch says what is wrong
        complete_models();
        complete_cluster();
        if (Node* workflows = find(root_, "workflows"); workflows != nullptr && workflows->kind == Kind::map)
            for (Node& workflow : workflows->items)
                for (Node& step : workflow.items) keep_live_kinds(step);
    }

private:
    /// Those that steps name and the batch does not define.
    void complete_models() {
        if (find(root_, "models") == nullptr) set(root_, "models", empty(Kind::map));
        Node& models = *find(root_, "models");
        if (models.kind != Kind::map) return;
        for (const LiveModel& live : facts_.models) {
            if (find(models, live.name) != nullptr) continue;
            Node model = empty(Kind::map);
            set(model, "memory_gb", number(gigabytes_of(live.memory)));
            set(models, live.name, std::move(model));
        }
    }

    void complete_cluster() {
        Node rules = empty(Kind::map);
        if (Node* said = find(root_, "cluster"); said != nullptr && said->kind == Kind::map)
            if (const Node* given = find(*said, "switch"); given != nullptr && given->kind == Kind::map) rules = *given;
        add_measured(rules);
        Node cluster = empty(Kind::map);
        Node gpus = empty(Kind::list);
        Node holds = empty(Kind::map);
        const Node* models = find(root_, "models");
        for (std::size_t i = 0; i < facts_.gpus.size(); ++i) {
            const LiveGpu& live = facts_.gpus[i];
            Node gpu = empty(Kind::map);
            set(gpu, "kind", scalar(live.kind));
            set(gpu, "memory_gb", number(gigabytes_of(live.memory)));
            gpus.items.push_back(std::move(gpu));
            if (!live.holds.empty() && find(const_cast<Node&>(*models), live.holds) != nullptr)
                set(holds, std::to_string(i), scalar(live.holds));
        }
        set(cluster, "gpus", std::move(gpus));
        set(cluster, "switch", std::move(rules));
        set(cluster, "holds", std::move(holds));
        set(root_, "cluster", std::move(cluster));
    }

    /// A measured load counts from whatever was there before.
    void add_measured(Node& rules) {
        Node matrices = empty(Kind::list);
        if (Node* given = find(rules, "matrix"); given != nullptr && given->kind == Kind::list)
            for (Node& matrix : given->items) {
                const Node* kind = matrix.kind == Kind::map ? find(matrix, "kind") : nullptr;
                if (kind == nullptr || kinds_.contains(kind->text)) matrices.items.push_back(matrix);
            }
        for (const LiveModel& live : facts_.models)
            if (live.load_seconds) matrices.items.push_back(measured_matrix(live));
        if (!matrices.items.empty()) set(rules, "matrix", std::move(matrices));
    }

    Node measured_matrix(const LiveModel& live) {
        Node from = empty(Kind::list);
        Node rows = empty(Kind::list);
        const Node& models = *find(root_, "models");
        for (std::size_t i = 0; i <= models.keys.size(); ++i) {
            from.items.push_back(scalar(i == 0 ? "none" : models.keys[i - 1].text));
            Node row = empty(Kind::list);
            const bool is_same = i > 0 && models.keys[i - 1].text == live.name;
            row.items.push_back(number(is_same ? 0 : *live.load_seconds));
            rows.items.push_back(std::move(row));
        }
        Node to = empty(Kind::list);
        to.items.push_back(scalar(live.name));
        Node matrix = empty(Kind::map);
        set(matrix, "from", std::move(from));
        set(matrix, "to", std::move(to));
        set(matrix, "seconds", std::move(rows));
        return matrix;
    }

    /// Of seconds by kind those that are here; where none is, the longest for all.
    void keep_live_kinds(Node& step) const {
        Node* seconds = step.kind == Kind::map ? find(step, "seconds") : nullptr;
        if (seconds == nullptr || seconds->kind != Kind::map || seconds->items.empty()) return;
        Node kept = empty(Kind::map);
        const Node* longest = &seconds->items.front();
        for (std::size_t i = 0; i < seconds->keys.size(); ++i) {
            if (std::atof(seconds->items[i].text.c_str()) > std::atof(longest->text.c_str()))
                longest = &seconds->items[i];
            if (kinds_.contains(seconds->keys[i].text)) set(kept, seconds->keys[i].text, seconds->items[i]);
        }
        if (kept.items.empty()) kept = *longest;
        *seconds = std::move(kept);
    }

    Node& root_;
    const LiveFacts& facts_;
    std::set<std::string> kinds_;
};

Result<void> check_runners(const Batch& batch, const LiveFacts& facts) {
    std::set<ModelId> used;
    for (const Workflow& workflow : batch.workflows)
        for (const Step& step : workflow.steps) used.insert(step.model);
    for (const ModelId id : used) {
        const std::string& name = batch.models[id.value()].name;
        const bool is_known =
            name == input::kCommandModel || std::any_of(facts.models.begin(), facts.models.end(),
                                                        [&](const LiveModel& model) { return model.name == name; });
        if (!is_known)
            return fail(Fault::invalid_input, fmt::format("model {} has no runner here", name),
                        "add it to the service's models_file; 'switchyard models' shows what there is");
    }
    return {};
}

}  // namespace

Result<LiveBatch> make_live(input::Document document, const LiveFacts& facts) {
    Completer(document.root, facts).complete();
    auto batch = input::read_batch(document);
    if (!batch) return tl::unexpected(batch.error());
    auto content = input::read_content(document, *batch);
    if (!content) return tl::unexpected(content.error());
    if (auto runs = check_runners(*batch, facts); !runs) return tl::unexpected(runs.error());
    return LiveBatch{std::move(*batch), std::move(*content)};
}

}  // namespace sy::runs
