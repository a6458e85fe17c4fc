#include "cli/run_watch.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/follow.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kBetweenFrames{200};
constexpr std::size_t kAtOnce = 5'000;

volatile std::sig_atomic_t left = 0;

/// While it lives Ctrl-C only leaves.
class LeaveOnInterrupt {
public:
    LeaveOnInterrupt() {
        left = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { left = 1; };
        ::sigaction(SIGINT, &action, &before_);
    }
    ~LeaveOnInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }
    LeaveOnInterrupt(const LeaveOnInterrupt&) = delete;
    LeaveOnInterrupt& operator=(const LeaveOnInterrupt&) = delete;

private:
    struct sigaction before_ {};
};

bool is_over(const Json& run) {
    return run["state"] == "ended" || run["state"] == "cancelled";
}

void show(const Json& run) {
    const std::string state = run["state"];
    fmt::print(stderr, "\r\033[Krun {}: {}", run["id"].get<std::uint64_t>(),
               run.contains("counts") ? progress_text(run) : state);
    std::fflush(stderr);
}

}  // namespace

std::string progress_text(const Json& run) {
    const Json& counts = run["counts"];
    const auto count = [&](const char* what) { return counts[what].get<std::uint64_t>(); };
    std::string text =
        fmt::format("{} of {} done, {} running", count("done"), run["jobs"].get<std::uint64_t>(), count("running"));
    if (count("failed") > 0) text += fmt::format(", {} failed", count("failed"));
    if (count("skipped") > 0) text += fmt::format(", {} skipped", count("skipped"));
    const auto taken = run.value("gpus_taken", std::uint64_t{0});
    if (taken > 0) text += fmt::format(", others hold {} GPU{}", taken, taken == 1 ? "" : "s");
    const auto switches = run["switches"].get<std::uint64_t>();
    text += fmt::format(", {} switch{}, {:.1f} s", switches, switches == 1 ? "" : "es", run["elapsed_s"].get<double>());
    if (!run.contains("expected_s") || !run.contains("plan")) return text;
    const double expected = run["expected_s"];
    const double planned = run["plan"]["makespan_s"];
    text += fmt::format(" of about {:.1f} s", expected);
    if (planned > 0) text += fmt::format(" ({:+.0f} % against the plan)", 100 * (expected / planned - 1));
    return text;
}

Result<std::optional<Json>> watch_run(const ServerArguments& server, std::uint64_t id, bool quiet) {
    const LeaveOnInterrupt leave;
    const bool draws = !quiet && ::isatty(STDERR_FILENO) != 0;
    for (;;) {
        auto run = ask_patiently(server, fmt::format("/api/v1/runs/{}", id));
        if (!run) return tl::unexpected(run.error());
        if (draws) show(*run);
        if (is_over(*run)) {
            if (draws) fmt::print(stderr, "\r\033[K");
            return std::optional(std::move(*run));
        }
        if (left != 0) {
            if (draws) fmt::print(stderr, "\n");
            return std::optional<Json>();
        }
        std::this_thread::sleep_for(kBetweenFrames);
    }
}

Result<Json> fetch_timeline(const ServerArguments& server, std::uint64_t id) {
    Json all;
    for (std::size_t from = 0;; from += kAtOnce) {
        auto part = ask_patiently(server, fmt::format("/api/v1/runs/{}/timeline?from={}&limit={}", id, from, kAtOnce));
        if (!part) return part;
        const std::size_t rows = (*part)["jobs"].size();
        if (all.is_null()) {
            all = std::move(*part);
        } else {
            for (Json& row : (*part)["jobs"]) all["jobs"].push_back(std::move(row));
        }
        if (rows < kAtOnce) return all;
    }
}

Result<void> fetch_results(const ServerArguments& server, std::uint64_t id, const std::string& path) {
    std::ofstream file;
    if (path != "-") file.open(path, std::ios::binary);
    for (std::size_t from = 0;; from += kAtOnce) {
        const auto part =
            ask_plainly(server, "GET", fmt::format("/api/v1/runs/{}/results?from={}&limit={}", id, from, kAtOnce));
        if (!part) return tl::unexpected(part.error());
        if (part->status != 200) return fail(Fault::failed, "the results cannot be had: " + part->body);
        if (part->body.empty()) break;
        if (path == "-") {
            fmt::print("{}", part->body);
        } else {
            file << part->body;
        }
    }
    file.close();
    if (path != "-" && !file)
        return fail(Fault::failed, fmt::format("{} cannot be written", path), "check the folder and its permissions");
    return {};
}

}  // namespace sy::cli
