// switchyard gpus and switchyard queue: what a running service has, and what waits there.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"
#include "input/reading.h"

namespace sy::cli {

namespace {

struct ClusterArguments {
    ServerArguments server;
    std::string action;
    std::string gpu;
    bool json = false;
};

Exit run_gpus(const ClusterArguments& a) {
    if (!a.action.empty()) {
        if (a.gpu.empty())
            return complain({Fault::usage, fmt::format("which GPU to {}?", a.action),
                             fmt::format("write its number, as in: switchyard gpus {} 3", a.action)});
        const auto number = input::parse_number<std::uint32_t>(a.gpu);
        if (!number)
            return complain({Fault::usage, fmt::format("'{}' is no number of a GPU", a.gpu),
                             "'switchyard gpus' shows their numbers"});
        const auto done = ask_server(a.server, "POST", fmt::format("/api/v1/gpus/{}/{}", *number, a.action));
        if (!done) return complain(done.error());
    }
    const auto answer = ask_server(a.server, "GET", "/api/v1/gpus");
    if (!answer || a.json) return print_json(answer);
    fmt::print("{:>4}  {:<10} {:<10} {:>10}  {:<10} {:<24} {}\n", "gpu", "kind", "state", "for tasks", "task", "models",
               "host");
    for (const auto& gpu : (*answer)["gpus"]) {
        std::string models;
        for (const auto& model : gpu.value("models", nlohmann::ordered_json::array()))
            models += (models.empty() ? "" : " ") + model.get<std::string>();
        fmt::print("{:>4}  {:<10} {:<10} {:>7.1f} GB  {:<10} {:<24} {}\n", gpu["id"].get<std::uint32_t>(),
                   gpu.value("kind", "-"), gpu["state"].get<std::string>(), gpu["memory_mb"].get<double>() / 1e3,
                   gpu["task"].is_null() ? "-" : gpu["task"].dump(), models.empty() ? "-" : models,
                   gpu.value("host", "") + (gpu["simulated"].get<bool>() ? " (simulated)" : ""));
    }
    return Exit::done;
}

Exit run_queue(const ClusterArguments& a) {
    if (!a.action.empty()) {
        const auto done = ask_server(a.server, "POST", "/api/v1/queue/" + a.action);
        if (!done) return complain(done.error());
    }
    const auto answer = ask_server(a.server, "GET", "/api/v1/queue");
    if (!answer || a.json) return print_json(answer);
    fmt::print("{} queued, {} held, {} running{}\n", (*answer)["queued"].get<std::uint64_t>(),
               (*answer)["held"].get<std::uint64_t>(), (*answer)["running"].get<std::uint64_t>(),
               (*answer)["paused"].get<bool>() ? "; paused: nothing new starts" : "");
    return Exit::done;
}

}  // namespace

Command gpus_command() {
    const auto a = std::make_shared<ClusterArguments>();
    return {
        .name = "gpus",
        .summary = "The service's GPUs and what they do; drain, reserve and resume them",
        .examples = "  switchyard gpus\n  switchyard gpus drain 3\n  switchyard gpus resume 3",
        .options = with_server({{"ACTION",
                                 "",
                                 "drain: let its task end and give it no other; reserve: the same, for good; resume",
                                 &a->action,
                                 {"drain", "reserve", "resume"}},
                                {"GPU", "", "Its number", &a->gpu},
                                {"--json", "", "Print one JSON document", &a->json}},
                               a->server),
        .run = [a] { return run_gpus(*a); }};
}

Command queue_command() {
    const auto a = std::make_shared<ClusterArguments>();
    return {.name = "queue",
            .summary = "How many tasks wait and run; pause and resume",
            .examples = "  switchyard queue\n  switchyard queue pause\n  switchyard queue resume",
            .options = with_server({{"ACTION", "", "pause or resume", &a->action, {"pause", "resume"}},
                                    {"--json", "", "Print one JSON document", &a->json}},
                                   a->server),
            .run = [a] { return run_queue(*a); }};
}

}  // namespace sy::cli
