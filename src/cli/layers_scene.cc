#include "cli/layers_scene.h"

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal.h"
#include "core/pipeline/route/shards.h"
#include "input/scene_file.h"
#include "sim/traffic/scene.h"

namespace sy::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kWidestEvent = 36;
constexpr std::size_t kMostNotes = 40;

struct Played {
    std::string routing;
    sim::SceneFigures figures;
};

double milliseconds(Duration time) {
    return static_cast<double>(time.count()) / 1e6;
}

std::string_view word(sim::Stretch::Part part) {
    switch (part) {
        case sim::Stretch::Part::before: return "before";
        case sim::Stretch::Part::during: return "during";
        case sim::Stretch::Part::after: return "after";
    }
    return "";
}

ordered_json stretch_json(const sim::Stretch& s) {
    return {{"from_s", to_seconds(s.from)},
            {"until_s", to_seconds(s.until)},
            {"requests", s.requests},
            {"completed", s.completed},
            {"refused", s.refused},
            {"failed", s.failed},
            {"moved", s.moved},
            {"latency_ms",
             {{"mean", milliseconds(s.latency.mean)},
              {"p50", milliseconds(s.latency.p50)},
              {"p99", milliseconds(s.latency.p99)}}}};
}

ordered_json played_json(const Played& played) {
    const sim::SceneFigures& f = played.figures;
    ordered_json out{{"routing", played.routing},
                     {"arrived", f.all.arrived},
                     {"completed", f.all.completed},
                     {"refused", f.all.refused},
                     {"failed", f.all.failed},
                     {"waited", f.all.waited},
                     {"moved", f.all.moved},
                     {"opening_s", to_seconds(f.opening)},
                     {"loaded_gb", static_cast<double>(f.bytes_loaded) / 1e9},
                     {"events_played", f.events_played},
                     {"span_s", to_seconds(f.all.span)},
                     {"tokens_per_s", f.all.tokens_per_s},
                     {"stretches", ordered_json::array()},
                     {"course", ordered_json::array()},
                     {"notes", ordered_json::array()},
                     {"digest", fmt::format("{:016x}", f.all.digest)}};
    for (const sim::Stretch& stretch : f.stretches) {
        ordered_json entry{{"event", stretch.what}, {"part", word(stretch.part)}};
        entry.update(stretch_json(stretch));
        out["stretches"].push_back(std::move(entry));
    }
    for (const sim::Stretch& stretch : f.course) out["course"].push_back(stretch_json(stretch));
    for (const sim::SceneNote& note : f.notes)
        out["notes"].push_back({{"at_s", to_seconds(note.at)}, {"what", note.text}});
    return out;
}

std::string played_text(const Played& played, const Scene& scene) {
    const sim::SceneFigures& f = played.figures;
    std::string out = fmt::format(
        "\n{}: {} arrived, {} completed, {} refused, {} failed; ways lost {} times; {:.1f} GB loaded\n"
        "Nodes had loaded after {:.1f} s; times count from then on.\n\n",
        played.routing, f.all.arrived, f.all.completed, f.all.refused, f.all.failed, f.all.moved,
        static_cast<double>(f.bytes_loaded) / 1e9, to_seconds(f.opening));
    fmt::format_to(std::back_inserter(out), "{:>9} {:>9}  {:<6}  {:<{}} {:>8} {:>10} {:>10} {:>8} {:>7} {:>6}\n",
                   "from s", "until s", "part", "event", kWidestEvent, "requests", "latency s", "p99", "refused",
                   "failed", "moved");
    for (const sim::Stretch& s : f.stretches)
        fmt::format_to(
            std::back_inserter(out), "{:>9.1f} {:>9.1f}  {:<6}  {:<{}} {:>8} {:>10.3f} {:>10.3f} {:>8} {:>7} {:>6}\n",
            to_seconds(s.from), to_seconds(s.until), word(s.part), printable(s.what, kWidestEvent), kWidestEvent,
            s.requests, to_seconds(s.latency.mean), to_seconds(s.latency.p99), s.refused, s.failed, s.moved);
    out += "\n";
    for (std::size_t n = 0; n < std::min(f.notes.size(), kMostNotes); ++n)
        fmt::format_to(std::back_inserter(out), "{:>9.1f} s  {}\n", to_seconds(f.notes[n].at),
                       printable(f.notes[n].text, 2 * kWidestEvent));
    if (f.notes.size() > kMostNotes)
        fmt::format_to(std::back_inserter(out), "and {} more; --json shows all\n", f.notes.size() - kMostNotes);
    if (f.events_played < scene.events.size())
        fmt::format_to(std::back_inserter(out),
                       "{} of {} events lie after the last request's end and did not happen; simulate more requests\n",
                       scene.events.size() - f.events_played, scene.events.size());
    return out;
}

}  // namespace

Result<std::string> play_layers(const Mesh& mesh, const pipeline::Costs& costs, const pipeline::Division& division,
                                const SceneWishes& wishes) {
    const TrafficWishes& traffic = wishes.traffic;
    const auto document = input::read_document(traffic.scene);
    if (!document) return tl::unexpected(document.error());
    const auto scene = input::parse_scene(*document, mesh);
    if (!scene) return tl::unexpected(scene.error());
    if (costs.layers > pipeline::Shards::kMostLayers)
        return fail(Fault::invalid_input,
                    fmt::format("{} layers are too many to simulate, the limit is {}", costs.layers,
                                pipeline::Shards::kMostLayers),
                    "simulate a smaller model");
    const double rate = rate_of(mesh, costs, division, traffic);
    const sim::TrafficRecipe recipe{traffic.requests,           rate,        traffic.prompt, traffic.answer,
                                    mesh.settings.max_sequence, traffic.high};
    const auto requests = at_rates_of(*scene, draw_traffic(recipe, Random(traffic.seed)), rate);
    std::vector<Played> all;
    for (const std::string& routing : routings_of(traffic)) {
        sim::SceneSettings settings{wishes.strategy, routing, activation_bytes(mesh.model), {}};
        auto figures = play_scene(mesh, costs, *scene, requests, settings);
        if (!figures) return tl::unexpected(std::move(figures.error()));
        all.push_back({routing, *std::move(figures)});
    }
    if (!wishes.json) {
        std::string out =
            fmt::format("\n{} requests, {:.3f} a second at first, seed {}\n", traffic.requests, rate, traffic.seed);
        for (const Played& played : all) out += played_text(played, *scene);
        return out;
    }
    ordered_json report{{"model", mesh.model.name},         {"requests", traffic.requests},  {"rate_per_s", rate},
                        {"prompt_mean", traffic.prompt},    {"answer_mean", traffic.answer}, {"seed", traffic.seed},
                        {"routings", ordered_json::array()}};
    for (const Played& played : all) report["routings"].push_back(played_json(played));
    return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sy::cli
