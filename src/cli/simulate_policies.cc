#include "cli/simulate_policies.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/estimate/registry.h"
#include "input/trace_file.h"
#include "learned/boosted.h"

namespace sy::cli {

namespace {

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        parts.push_back(list.substr(at, comma - at));
        at = comma + 1;
    }
    return parts;
}

/// Ten years: far from where times could overflow.
constexpr Duration kMostSeconds = 24h * 365 * 10;

Result<Duration> read_seconds(std::string_view option, const std::string& text, Duration least) {
    const auto seconds = parse_seconds(text);
    if (seconds && *seconds >= least && *seconds <= kMostSeconds) return *seconds;
    return fail(Fault::usage,
                fmt::format("{} is '{}', it must be seconds, {} and at most {}", option, text,
                            least > 0s ? "above 0" : "0 or more", seconds_text(kMostSeconds)),
                fmt::format("for example {} 600", option));
}

Result<std::vector<Duration>> read_limits(const std::string& text) {
    std::vector<Duration> limits;
    for (const std::string& part : parts_of(text)) {
        const auto limit = read_seconds("--limits", part, Duration(1));
        if (!limit) return tl::unexpected(limit.error());
        if (!limits.empty() && *limit <= limits.back())
            return fail(Fault::usage, fmt::format("--limits are {}, each must be above the one before", text),
                        "for example --limits 3250,7200");
        limits.push_back(*limit);
    }
    return limits;
}

Result<std::shared_ptr<estimate::RunTime>> make_predictor(const std::string& name) {
    if (name == "boosted") {
        auto boosted = learned::Boosted::make({});
        if (!boosted) return tl::unexpected(boosted.error());
        return std::shared_ptr<estimate::RunTime>(std::move(*boosted));
    }
    return std::shared_ptr<estimate::RunTime>(estimate::make_run_time(name));
}

/// All but the names.
Result<schedule::Policy> read_options(const SimulateArguments& a, const std::string& order) {
    schedule::Policy policy;
    policy.order = order;
    policy.neighbours = a.neighbours;
    policy.preempt = a.preempt;
    const auto limits = read_limits(a.limits);
    if (!limits) return tl::unexpected(limits.error());
    policy.options.limits = *limits;
    policy.options.service = a.service == "seconds" ? queue::Service::seconds : queue::Service::gpu_seconds;
    struct Reading {
        std::string_view option;
        const std::string& text;
        Duration least;
        Duration& into;
    };
    for (const Reading& r : {Reading{"--slice", a.slice, Duration(1), policy.options.slice},
                             Reading{"--aging", a.aging, 0s, policy.options.aging},
                             Reading{"--restart-cost", a.restart_cost, 0s, policy.restart_cost},
                             Reading{"--boost", a.boost, Duration(1), policy.options.boost}}) {
        if (r.text.empty()) continue;
        const auto seconds = read_seconds(r.option, r.text, r.least);
        if (!seconds) return tl::unexpected(seconds.error());
        r.into = *seconds;
    }
    if (order == "rr" && policy.restart_cost >= policy.options.slice)
        return fail(
            Fault::usage,
            fmt::format("--restart-cost {} is not less than --slice {}: round robin would never get anything done",
                        a.restart_cost, a.slice),
            "take a longer slice");
    if (order != "predicted") return policy;
    auto predictor = make_predictor(a.predictor);
    if (!predictor) return tl::unexpected(predictor.error());
    policy.options.predictor = std::move(*predictor);
    return policy;
}

Result<void> check_outputs(const SimulateArguments& a, std::size_t trials) {
    for (const auto& [option, path] : {std::pair{"--jobs-out", a.jobs_out}, {"--decisions", a.decisions}})
        if (path == "-" && trials > 1)
            return fail(Fault::usage, fmt::format("{} - can hold one policy, this would try {}", option, trials),
                        "name a file: jobs.csv becomes jobs.fcfs.csv and so on");
    if (a.jobs_out == "-" && a.decisions == "-")
        return fail(Fault::usage, "--jobs-out and --decisions cannot both go to stdout", "name a file for one of them");
    return {};
}

}  // namespace

Result<std::vector<sim::Trial>> read_trials(const SimulateArguments& a, std::span<const NodeSpec> nodes) {
    const sim::Grid grid{parts_of(a.orders), parts_of(a.fits), parts_of(a.places)};
    auto trials = sim::trials_of(grid, "--", nodes, [&a](const std::string& order) { return read_options(a, order); });
    if (!trials) return trials;
    if (const auto fine = check_outputs(a, trials->size()); !fine) return tl::unexpected(fine.error());
    return trials;
}

}  // namespace sy::cli
