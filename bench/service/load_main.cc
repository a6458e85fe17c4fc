// load_switchyard: hands tasks to a running service and prints how fast they were taken and ended.
#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/load.h"

namespace sy::bench {

namespace {

void print(const LoadFigures& figures, const LoadWish& wish) {
    fmt::print("{} tasks, {} connections, {} a request\n", figures.tasks, wish.connections, wish.each);
    fmt::print("  accepted   {:.0f} a second\n", figures.accepted_per_s);
    if (wish.wait) fmt::print("  ended      {:.0f} a second, from the first submission on\n", figures.ended_per_s);
    fmt::print("  a request  p50 {:.0f} us, p99 {:.0f} us\n", figures.submit_p50_us, figures.submit_p99_us);
    fmt::print("  processor  {:.1f} us a task: client {:.1f}", figures.client_us + figures.service_us,
               figures.client_us);
    if (wish.service > 0) fmt::print(", server, workers and theirs {:.1f}", figures.service_us);
    fmt::print("\n");
}

void print_json(const LoadFigures& figures, const LoadWish& wish) {
    nlohmann::ordered_json json{{"tasks", figures.tasks},
                                {"connections", wish.connections},
                                {"tasks_a_request", wish.each},
                                {"accepted_per_s", figures.accepted_per_s}};
    if (wish.wait) json["ended_per_s"] = figures.ended_per_s;
    json["submit_p50_us"] = figures.submit_p50_us;
    json["submit_p99_us"] = figures.submit_p99_us;
    json["client_cpu_us"] = figures.client_us;
    if (wish.service > 0) json["service_cpu_us"] = figures.service_us;
    fmt::print("{}\n", json.dump(2));
}

int run(int count, char** words) {
    LoadWish wish{.task = R"({"command": ["/bin/true"], "memory_mb": 100})"};
    bool json = false;
    bool leave = false;
    CLI::App app{"Hands tasks to a running service and prints how fast they were taken and ended."};
    app.add_option("server", wish.server, "unix:/path/api.sock or http://127.0.0.1:7878")->required();
    app.add_option("--task", wish.task, "The task, as JSON")->capture_default_str();
    app.add_option("--tasks", wish.tasks, "How many")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--connections", wish.connections, "How many lines")->capture_default_str();
    app.add_option("--each", wish.each, "Tasks a request")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--pid", wish.service, "The server's process: its processor time is counted, with all below it");
    app.add_flag("--leave", leave, "Do not wait for their end");
    app.add_flag("--json", json, "Print one JSON document");
    CLI11_PARSE(app, count, words);
    wish.wait = !leave;
    const auto figures = load(wish);
    if (!figures) {
        fmt::print(stderr, "load_switchyard: {}\n", figures.error().message);
        return 1;
    }
    json ? print_json(*figures, wish) : print(*figures, wish);
    return 0;
}

}  // namespace

}  // namespace sy::bench

int main(int count, char** words) {
    return sy::bench::run(count, words);
}
