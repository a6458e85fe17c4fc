#include "core/pipeline/members/crew_settings.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/pipeline/route/routers.h"
#include "core/pipeline/strategy.h"

namespace sy::pipeline {

namespace {

bool is_among(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

tl::unexpected<Error> unknown(std::string_view what, std::string_view name,
                              const std::vector<std::string_view>& names) {
    return fail(Fault::usage, fmt::format("there is no {} '{}'", what, name),
                fmt::format("one of: {}", fmt::join(names, ", ")));
}

}  // namespace

Result<CrewSettings> checked(CrewSettings settings) {
    std::vector<std::string_view> strategies = strategy_names();
    strategies.push_back(kAutoStrategy);
    if (!is_among(strategies, settings.allocation_strategy))
        return unknown("allocation_strategy", settings.allocation_strategy, strategies);
    if (settings.objective && !serves(settings.allocation_strategy, *settings.objective))
        return fail(Fault::usage,
                    fmt::format("the strategy {} does not look for low latency", settings.allocation_strategy),
                    "set objective to throughput or served, or take another allocation_strategy");
    if (!is_among(router_names(), settings.routing_strategy))
        return unknown("routing_strategy", settings.routing_strategy, router_names());
    const struct {
        std::string_view name;
        Duration value;
    } must_last[] = {{"heartbeat_timeout", settings.heartbeat_timeout},
                     {"request_arrival_horizon", settings.request_arrival_horizon},
                     {"review_every", settings.review_every},
                     {"relink_every", settings.relink_every},
                     {"load_timeout", settings.load_timeout},
                     {"patience", settings.patience},
                     {"request_timeout", settings.request_timeout}};
    for (const auto& [name, value] : must_last)
        if (value <= Duration::zero())
            return fail(Fault::invalid_input, fmt::format("{} is {} s", name, seconds_text(value)),
                        "give it more than 0");
    const struct {
        std::string_view name;
        Duration value;
    } may_be_none[] = {{"gather", settings.gather},
                       {"rest", settings.rest},
                       {"drain_for", settings.drain_for},
                       {"suspicion", settings.suspicion}};
    for (const auto& [name, value] : may_be_none)
        if (value < Duration::zero())
            return fail(Fault::invalid_input, fmt::format("{} is {} s", name, seconds_text(value)),
                        "give it 0 or more");
    if (settings.rebalance_threshold == 0)
        return fail(Fault::invalid_input, "rebalance_threshold is 0", "give it more than 0, usually 0.8");
    if (settings.enough_reports == 0)
        return fail(Fault::invalid_input, "enough_reports is 0", "let one request at least say that a node failed");
    if (settings.most_planned == 0)
        return fail(Fault::invalid_input, "most_planned is 0", "let a placement look at one node at least");
    return settings;
}

}  // namespace sy::pipeline
