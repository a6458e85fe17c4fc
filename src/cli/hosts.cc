// switchyard hosts: the machines elsewhere that run tasks for a service.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"
#include "service/wire/host_messages.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

struct HostsArguments {
    ServerArguments server;
    std::string action;
    std::string name;
    bool json = false;
};

std::string gpus_text(const Json& host) {
    const auto first = host["first_gpu"].get<std::uint32_t>();
    const auto count = host["gpu_count"].get<std::uint32_t>();
    return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

std::string state_of(const Json& host) {
    if (!host["draining"].get<bool>()) return host["state"];
    return host["state"] == "here" ? "draining" : "drained, away";
}

Exit run(const HostsArguments& a) {
    if (!a.action.empty()) {
        if (a.name.empty())
            return complain({Fault::usage, fmt::format("which host to {}?", a.action),
                             fmt::format("write its name, as in: switchyard hosts {} rack1-node4", a.action)});
        if (!wire::is_host_name(a.name))
            return complain({Fault::usage, wire::why_no_host_name(a.name), "'switchyard hosts' lists their names"});
        const auto done = a.action == "forget"
                              ? ask_server(a.server, "DELETE", fmt::format("/api/v1/hosts/{}", a.name))
                              : ask_server(a.server, "POST", fmt::format("/api/v1/hosts/{}/{}", a.name, a.action));
        if (!done) return complain(done.error());
    }
    const auto answer = ask_server(a.server, "GET", "/api/v1/hosts");
    if (!answer || a.json) return print_json(answer);
    if ((*answer)["hosts"].empty()) {
        fmt::print(stderr, "no host has joined; on one: switchyard worker --server URL --token-file FILE\n");
        return Exit::done;
    }
    fmt::print("{:<24} {:<13} {:<9} {:>5} {:<10} {}\n", "host", "state", "gpus", "busy", "kind", "");
    for (const Json& host : (*answer)["hosts"])
        fmt::print("{:<24} {:<13} {:<9} {:>5} {:<10} {}\n", host["name"].get<std::string>(), state_of(host),
                   gpus_text(host), host["busy"].get<std::uint32_t>(), host.value("kind", "-"),
                   host.value("simulated", false) ? "(simulated)" : "");
    return Exit::done;
}

}  // namespace

Command hosts_command() {
    const auto a = std::make_shared<HostsArguments>();
    return {
        .name = "hosts",
        .summary = "The machines elsewhere that run tasks for the service; drain, resume and forget them",
        .examples = "  switchyard hosts\n  switchyard hosts drain rack1-node4\n  switchyard hosts forget rack1-node4",
        .options = with_server(
            {{"ACTION",
              "",
              "drain: let its tasks end and give it no others; resume; forget: one that is away and will not come back",
              &a->action,
              {"drain", "resume", "forget"}},
             {"HOST", "", "Its name", &a->name},
             {"--json", "", "Print one JSON document", &a->json}},
            a->server),
        .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
