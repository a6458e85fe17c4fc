// switchyard validate: read a batch, a trace, a cluster, a mesh, simulated devices or a configuration as its commands
// would, and say what is in it or what is wrong.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/trace_summary.h"
#include "core/pipeline/appraise.h"
#include "input/batch_content.h"
#include "input/batch_file.h"
#include "input/cluster_file.h"
#include "input/device_file.h"
#include "input/json_lines.h"
#include "input/mesh_file.h"
#include "input/model_file.h"
#include "input/service_config.h"
#include "input/trace_file.h"
#include "sim/weather_file.h"

namespace sy::cli {

namespace {

Exit validate_trace(const std::string& path, bool json) {
    const auto text = input::read_text(path);
    if (!text) return complain(text.error());
    const auto file = input::read_trace_file(*text, input::name_of_file(path));
    if (!file) return complain(file.error());
    if (json) {
        nlohmann::ordered_json report{{"valid", true}, {"kind", "trace"}};
        report.update(trace_summary_json(file->trace));
        report["warnings"] = file->warnings;
        fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
        return Exit::done;
    }
    for (const std::string& warning : file->warnings) fmt::print(stderr, "switchyard: {}\n", warning);
    fmt::print("valid trace: {} jobs\n{}", file->trace.jobs.size(), trace_summary(file->trace));
    return Exit::done;
}

Exit validate_cluster(const input::Document& document, bool json) {
    const auto cluster = input::parse_cluster(document);
    if (!cluster) return complain(cluster.error());
    if (json) {
        const nlohmann::ordered_json report{{"valid", true},
                                            {"kind", "cluster"},
                                            {"nodes", cluster->nodes.size()},
                                            {"gpus", gpus_of(*cluster)},
                                            {"kinds", cluster->kinds.size() - 1}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid cluster: {} nodes, {} GPUs, {} kinds\n", cluster->nodes.size(), gpus_of(*cluster),
                   cluster->kinds.size() - 1);
    }
    return Exit::done;
}

Exit validate_mesh(const input::Document& document, bool json) {
    const auto mesh = input::parse_mesh(document);
    if (!mesh) return complain(mesh.error());
    if (const auto costs = pipeline::appraise(*mesh); !costs) return complain(costs.error());
    if (json) {
        const nlohmann::ordered_json report{{"valid", true},
                                            {"kind", "mesh"},
                                            {"layers", mesh->model.layers},
                                            {"nodes", mesh->nodes.size()},
                                            {"links", mesh->links.size()}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid mesh: {} layers, {} nodes, {} links\n", mesh->model.layers, mesh->nodes.size(),
                   mesh->links.size());
    }
    return Exit::done;
}

Exit validate_batch(const input::Document& document, bool json) {
    const auto batch = input::read_batch(document);
    if (!batch) return complain(batch.error());
    if (const auto content = input::read_content(document, *batch); !content) return complain(content.error());
    std::uint64_t nodes = 0;
    for (const Request& request : batch->requests) nodes += batch->workflows[request.workflow].steps.size();
    if (json) {
        const nlohmann::ordered_json report{{"valid", true},
                                            {"kind", "batch"},
                                            {"gpus", batch->gpus.size()},
                                            {"models", batch->models.size()},
                                            {"workflows", batch->workflows.size()},
                                            {"requests", batch->requests.size()},
                                            {"nodes", nodes}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid batch: {} GPUs, {} models, {} workflows, {} requests, {} nodes\n", batch->gpus.size(),
                   batch->models.size(), batch->workflows.size(), batch->requests.size(), nodes);
    }
    return Exit::done;
}

Exit validate_devices(const input::Document& document, bool json) {
    const auto devices = input::parse_devices(document);
    if (!devices) return complain(devices.error());
    if (json) {
        const nlohmann::ordered_json report{
            {"valid", true}, {"kind", "devices"}, {"gpus", devices->gpus.size()}, {"faults", devices->faults.size()}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid devices: {} simulated GPUs, {} faults\n", devices->gpus.size(), devices->faults.size());
    }
    return Exit::done;
}

Exit validate_config(const input::Document& document, bool json) {
    const auto config = input::resolve_config({.file = document, .environment = {}, .flags = {}});
    if (!config) return complain(config.error());
    if (json) {
        const nlohmann::ordered_json report{
            {"valid", true}, {"kind", "configuration"}, {"keys", document.root.keys.size()}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid configuration: {} keys\n", document.root.keys.size());
    }
    return Exit::done;
}

/// A list of nodes at the top, and nothing of a batch.
bool is_cluster(const input::Node& root) {
    return root.keys.size() == 1 && root.keys.front().text == "nodes";
}

bool has_key(const input::Node& root, std::string_view name) {
    return std::any_of(root.keys.begin(), root.keys.end(), [&](const input::Node& key) { return key.text == name; });
}

/// A batch has models too, and a cluster.
bool is_models(const input::Node& root) {
    return has_key(root, "models") && !has_key(root, "cluster") && !has_key(root, "workflows") &&
           !has_key(root, "requests");
}

/// What can only be checked together with something else: what it is, and how.
std::optional<std::pair<const char*, const char*>> checked_elsewhere(const input::Node& root) {
    if (has_key(root, "makespan_s") && has_key(root, "tasks"))
        return std::pair("is a plan, which is checked against its batch", "switchyard verify BATCH PLAN");
    if (has_key(root, "events"))
        return std::pair("is a scene, which is checked with its mesh",
                         "switchyard layers MESH --simulate 1000 --scene FILE");
    return std::nullopt;
}

bool is_weather(const input::Node& root) {
    return has_key(root, "storm") || has_key(root, "gpus_per_node") || has_key(root, "loss");
}

Exit validate_weather(const input::Document& document, bool json) {
    const auto weather = sim::read_weather(document, {});
    if (!weather) return complain(weather.error());
    if (json) {
        const nlohmann::ordered_json report{
            {"valid", true}, {"kind", "weather"}, {"nodes", weather->nodes}, {"tasks", weather->tasks}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid weather: {} nodes, {} tasks\n", weather->nodes, weather->tasks);
    }
    return Exit::done;
}

Exit validate_models(const input::Document& document, bool json) {
    const auto file = input::parse_models(document);
    if (!file) return complain(file.error());
    if (json) {
        const nlohmann::ordered_json report{
            {"valid", true}, {"kind", "models"}, {"models", file->models.size()}, {"notes", file->notes}};
        fmt::print("{}\n", report.dump(2));
    } else {
        for (const std::string& note : file->notes) fmt::print(stderr, "switchyard: {}\n", note);
        fmt::print("valid models: {}\n", file->models.size());
    }
    return Exit::done;
}

/// A configuration has `gpus` too, but no list of them.
bool is_devices(const input::Node& root) {
    for (std::size_t i = 0; i < root.keys.size(); ++i)
        if (root.keys[i].text == "gpus") return root.items[i].kind != input::Kind::scalar;
    return false;
}

Exit run(const std::string& path, bool json) {
    if (path.ends_with(".csv")) return validate_trace(path, json);
    const auto document = input::read_document(path);
    if (!document) return complain(document.error());
    if (const auto elsewhere = checked_elsewhere(document->root))
        return complain(
            {Fault::usage, fmt::format("{} {}", input::name_of_file(path), elsewhere->first), elsewhere->second});
    if (is_weather(document->root)) return validate_weather(*document, json);
    if (is_devices(document->root)) return validate_devices(*document, json);
    if (input::looks_like_mesh(document->root)) return validate_mesh(*document, json);
    if (is_models(document->root)) return validate_models(*document, json);
    if (input::looks_like_config(document->root)) return validate_config(*document, json);
    if (is_cluster(document->root)) return validate_cluster(*document, json);
    const auto batch = path == "-" ? document : input::read_batch_document(path);
    return batch ? validate_batch(*batch, json) : complain(batch.error());
}

}  // namespace

Command validate_command() {
    const auto path = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    return {.name = "validate",
            .summary = "Check a batch, trace, cluster, mesh, device, model, weather or configuration file",
            .examples =
                "  switchyard validate examples/rag.yaml\n"
                "  switchyard validate examples/day.csv",
            .options = {{"FILE",
                         "",
                         "Batch, cluster, mesh, devices, models, weather or configuration as YAML or JSON, - for "
                         "stdin; or trace.csv",
                         path.get(),
                         {},
                         true},
                        {"--json", "", "Print one JSON document", json.get()}},
            .run = [path, json] { return run(*path, *json); }};
}

}  // namespace sy::cli
