// switchyard models: what a running service can call, where it is loaded, and what loading takes.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"

namespace sy::cli {

namespace {

struct ModelsArguments {
    ServerArguments server;
    std::string action;
    std::string model;
    bool json = false;
};

std::string gpus_text(const nlohmann::ordered_json& gpus) {
    std::string text;
    for (const auto& gpu : gpus) text += fmt::format("{}{}", text.empty() ? "" : ",", gpu.get<std::uint32_t>());
    return text.empty() ? "-" : text;
}

std::string seconds_text(const nlohmann::ordered_json& seconds) {
    return seconds.is_null() ? "-" : fmt::format("{:.2f} s", seconds.get<double>());
}

/// Of its calls, those that found it loaded.
std::string hits_text(const nlohmann::ordered_json& model) {
    const auto calls = model["calls"].get<std::uint64_t>();
    return calls == 0 ? "-" : fmt::format("{} %", 100 * model["hits"].get<std::uint64_t>() / calls);
}

Exit run_models(const ModelsArguments& a) {
    if (!a.action.empty()) {
        if (a.model.empty())
            return complain({Fault::usage, fmt::format("which model to {}?", a.action),
                             fmt::format("write its name, as in: switchyard models {} bge", a.action)});
        const nlohmann::ordered_json body{{"model", a.model}};
        const auto done = ask_server(a.server, "POST", "/api/v1/models/" + a.action, body.dump());
        if (!done) return complain(done.error());
    }
    const auto answer = ask_server(a.server, "GET", "/api/v1/models");
    if (!answer || a.json) return print_json(answer);
    fmt::print("{:<24} {:>10}  {:<8} {:<8} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10}  {}\n", "model", "memory", "gpus",
               "asleep", "hits", "loads", "p50", "p95", "wake p50", "sleep p50", "");
    for (const auto& model : (*answer)["models"])
        fmt::print("{:<24} {:>7.1f} GB  {:<8} {:<8} {:>6} {:>6} {:>10} {:>10} {:>10} {:>10}  {}\n",
                   model["name"].get<std::string>(), model["memory_mb"].get<double>() / 1e3, gpus_text(model["gpus"]),
                   gpus_text(model["asleep"]), hits_text(model), model["loads"].get<std::uint64_t>(),
                   seconds_text(model["load_p50_s"]), seconds_text(model["load_p95_s"]),
                   seconds_text(model["wake_p50_s"]), seconds_text(model["sleep_p50_s"]),
                   model["pinned"].get<bool>() ? "pinned" : "");
    return Exit::done;
}

}  // namespace

Command models_command() {
    const auto a = std::make_shared<ModelsArguments>();
    return {.name = "models",
            .summary = "The service's models, where they are loaded, what loading takes; load, pin and unload them",
            .examples =
                "  switchyard models\n  switchyard models pin bge\n  switchyard models load bge\n  switchyard models "
                "unload bge",
            .options = with_server(
                {{"ACTION", "", "load, pin, unpin or unload", &a->action, {"load", "pin", "unpin", "unload"}},
                 {"MODEL", "", "Its name", &a->model},
                 {"--json", "", "Print one JSON document", &a->json}},
                a->server),
            .run = [a] { return run_models(*a); }};
}

}  // namespace sy::cli
