#include "service/pipelines/scrape.h"

#include <vector>

namespace sy::pipelines {

namespace {

using metrics::Text;
using metrics::Type;

void write_requests(Text& text, const std::vector<Figures>& all) {
    text.family("switchyard_pipeline_requests", Type::gauge, "Requests that have a way, or wait for one.");
    for (const Figures& each : all) {
        text.value(std::uint64_t{each.view.running}, {{"pipeline", each.name}, {"state", "running"}});
        text.value(std::uint64_t{each.view.waiting}, {{"pipeline", each.name}, {"state", "waiting"}});
    }
    text.family("switchyard_pipeline_requests_ended_total", Type::counter, "Requests that are over, by how.");
    for (const Figures& each : all)
        for (const End how : kEnds) text.value(each.tally.ended(how), {{"pipeline", each.name}, {"end", name_of(how)}});
    text.family("switchyard_pipeline_reroutes_total", Type::counter, "Requests under way that were sent another way.");
    for (const Figures& each : all) text.value(each.tally.rerouted(), {{"pipeline", each.name}});
    text.family("switchyard_pipeline_wait_seconds", Type::histogram, "Time from a request to its first way.");
    for (const Figures& each : all) text.value(each.tally.waits(), {{"pipeline", each.name}});
    text.family("switchyard_pipeline_request_seconds", Type::histogram,
                "Time from a request to its end, of those that ended.");
    for (const Figures& each : all) text.value(each.tally.latencies(), {{"pipeline", each.name}});
}

void write_load(Text& text, const std::vector<Figures>& all) {
    text.family("switchyard_pipeline_servable", Type::gauge, "1 where every layer is held by somebody who serves.");
    for (const Figures& each : all) text.value(std::uint64_t{each.view.servable}, {{"pipeline", each.name}});
    text.family("switchyard_pipeline_capacity_tokens_per_second", Type::gauge, "What those who serve put through.");
    for (const Figures& each : all)
        text.value(static_cast<double>(each.view.served) / pipeline::kTokenPerSecond, {{"pipeline", each.name}});
    text.family("switchyard_pipeline_asked_tokens_per_second", Type::gauge, "What requests of the horizon ask for.");
    for (const Figures& each : all)
        text.value(static_cast<double>(each.view.forecast) / pipeline::kTokenPerSecond, {{"pipeline", each.name}});
    text.family("switchyard_pipeline_balance", Type::gauge,
                "The fullest node over the mean of those that serve; nothing where nothing is under way.");
    for (const Figures& each : all)
        if (each.balance) text.value(*each.balance, {{"pipeline", each.name}});
}

void write_nodes(Text& text, const std::vector<Figures>& all) {
    text.family("switchyard_pipeline_nodes", Type::gauge, "Nodes, by what they do.");
    for (const Figures& each : all)
        for (const pipeline::NodeState state : pipeline::kNodeStates)
            text.value(std::uint64_t{each.states[static_cast<std::size_t>(state)]},
                       {{"pipeline", each.name}, {"state", pipeline::text(state)}});
    text.family("switchyard_pipeline_nodes_lost_total", Type::counter, "Nodes that left or were given up.");
    for (const Figures& each : all) text.value(each.tally.lost_nodes(), {{"pipeline", each.name}});
    text.family("switchyard_pipeline_rebalances_total", Type::counter, "Times that layers were shared out, by how.");
    for (const Figures& each : all)
        for (const pipeline::Plan plan : kPlans)
            text.value(each.tally.rebalanced(plan), {{"pipeline", each.name}, {"plan", name_of(plan)}});
    text.family("switchyard_pipeline_moved_bytes_total", Type::counter,
                "Weights that nodes were told to load by that.");
    for (const Figures& each : all) text.value(each.tally.moved_bytes(), {{"pipeline", each.name}});
}

}  // namespace

void scrape(Text& text, const Pipelines& pipelines) {
    const std::vector<Figures> all = pipelines.figures(kMostScraped);
    if (all.empty()) return;
    write_requests(text, all);
    write_load(text, all);
    write_nodes(text, all);
}

}  // namespace sy::pipelines
