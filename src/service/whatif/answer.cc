#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/schedule/policy.h"
#include "input/cluster_file.h"
#include "input/trace_file.h"
#include "output/study_json.h"
#include "service/whatif/inquiry.h"
#include "service/whatif/wish.h"
#include "sim/study.h"

namespace sy::whatif {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostUsers = 12;
/// A placement by what is known of live GPUs, and what is tried in its stead.
constexpr const char* kLiveOnly = "scored";
constexpr const char* kItsStandIn = "consolidate";
/// Looking at the clock at every decision would cost more than deciding.
constexpr std::uint32_t kBetweenLooks = 256;

/// Tells how far it is, and calls it off when nobody waits or it takes too long.
class Attendant final : public sim::Onlooker {
public:
    Attendant(Inquiry& inquiry, Clock::time_point end) : inquiry_(inquiry), end_(end) {}

    void decided(Instant, const schedule::Decision&, std::uint64_t, std::size_t) override {}
    void left(Instant, TaskId) override { inquiry_.ended.fetch_add(1, std::memory_order_relaxed); }
    bool go_on() override {
        if (inquiry_.is_off.load(std::memory_order_relaxed)) return false;
        if (++looks_ % kBetweenLooks != 0) return true;
        is_late_ = Clock::now() > end_;
        return !is_late_;
    }
    bool is_late() const { return is_late_; }

private:
    Inquiry& inquiry_;
    Clock::time_point end_;
    std::uint32_t looks_ = 0;
    bool is_late_ = false;
};

/// Everything policies are tried on, and what is to be said of it.
struct Scene {
    Trace trace;
    Cluster cluster;
    sim::Opening opening;
    std::vector<std::uint32_t> first_lanes;
    std::vector<std::string> notes;
};

Result<Cluster> cluster_of(const Wish& wish, const Standing& standing) {
    if (wish.cluster.empty()) {
        if (standing.cluster.nodes.empty())
            return fail(Fault::infeasible, "no GPU of this service is in service at present",
                        R"(name a cluster, for example "cluster": "1x8")");
        return standing.cluster;
    }
    if (!wish.cluster.starts_with('{')) return input::parse_shape(wish.cluster);
    const auto document = input::parse_document(wish.cluster, "cluster");
    if (!document) return tl::unexpected(document.error());
    return input::parse_cluster(*document);
}

Result<Scene> scene_of(const Wish& wish, Standing& standing, const Limits& limits) {
    Scene scene;
    if (wish.live) {
        scene.trace = std::move(standing.queue->trace);
        scene.opening = standing.queue->opening;
        scene.notes = std::move(standing.queue->notes);
        if (wish.cluster.empty()) scene.first_lanes = std::move(standing.queue->first_lanes);
        if (scene.trace.jobs.empty())
            return fail(Fault::infeasible, "nothing waits and nothing runs", "hand in tasks, or send a trace");
    } else {
        auto file = input::read_trace_file(wish.trace, wish.name);
        if (!file) return tl::unexpected(file.error());
        scene.trace = std::move(file->trace);
        scene.notes = std::move(file->warnings);
    }
    if (scene.trace.jobs.empty())
        return fail(Fault::invalid_input, fmt::format("{} has no jobs", wish.name), "add rows below the header");
    if (scene.trace.jobs.size() > limits.jobs)
        return fail(Fault::invalid_input,
                    fmt::format("{} has {} jobs, this service simulates at most {}", wish.name, scene.trace.jobs.size(),
                                limits.jobs),
                    "take fewer, or run 'switchyard simulate' in a terminal, which has no such limit");
    auto cluster = cluster_of(wish, standing);
    if (!cluster) return tl::unexpected(cluster.error());
    scene.cluster = std::move(*cluster);
    if (wish.cluster.empty() && standing.away > 0)
        scene.notes.push_back(fmt::format("{} of the {} GPUs have no worker now: they count as if they had.",
                                          standing.away, standing.gpus.size()));
    join_kinds(scene.trace, scene.cluster);
    return scene;
}

struct Tries {
    std::vector<sim::Trial> trials;
    std::size_t in_force = 0;  ///< Which of them the service goes by.
};

/// All that was named, and what is in force beside it, which the others are compared with.
Result<Tries> tries_of(const Wish& wish, const schedule::Policy& in_force, const Cluster& cluster,
                       const Limits& limits) {
    const std::string fit = wish.fit.empty() ? in_force.fit : wish.fit;
    const auto policy_for = [&](const std::string& order) -> Result<schedule::Policy> {
        schedule::Policy policy;
        policy.order = order;
        policy.options = in_force.options;
        policy.options.predictor = nullptr;
        return policy;
    };
    auto trials = sim::trials_of({wish.orders, {fit}, {wish.place}}, "", cluster.nodes, policy_for);
    if (!trials) return tl::unexpected(trials.error());
    Tries tries{std::move(*trials), 0};
    for (; tries.in_force < tries.trials.size(); ++tries.in_force)
        if (tries.trials[tries.in_force].policy.order == in_force.order && fit == in_force.fit) return tries;
    if (tries.trials.size() >= limits.orders)
        return fail(Fault::invalid_input,
                    fmt::format("{} orders beside the one in force, '{}': together they may be {}", tries.trials.size(),
                                in_force.order, limits.orders),
                    "name one less");
    auto own = sim::trials_of({{in_force.order}, {in_force.fit}, {wish.place}}, "", cluster.nodes, policy_for);
    if (!own) return tl::unexpected(own.error());
    if (std::find(wish.orders.begin(), wish.orders.end(), in_force.order) != wish.orders.end())
        own->front().name += " " + in_force.fit;
    tries.trials.insert(tries.trials.begin(), std::move(own->front()));
    tries.in_force = 0;
    return tries;
}

std::optional<Error> what_never_runs(const Wish& wish, const Scene& scene) {
    const auto stuck = sim::first_that_never_runs(scene.trace, scene.cluster.nodes, wish.place);
    if (!stuck) return std::nullopt;
    const std::string where = wish.live ? "the live queue" : input::place_of_job(wish.trace, wish.name, *stuck, "gpus");
    return Error{
        Fault::infeasible,
        fmt::format("{}: {} '{}' asks for {}, which this cluster can never give with place {}", where,
                    wish.live ? "task" : "job", scene.trace.ids[*stuck], sim::wish(scene.trace, *stuck), wish.place),
        "take it out, or name a larger cluster"};
}

Json users_json(const measure::Study& study) {
    Json users = Json::array();
    for (const measure::UserShare& share : study.users) {
        if (users.size() >= kMostUsers) break;
        users.push_back(
            {{"user", share.user}, {"jobs", share.jobs}, {"gpu_s", share.gpu_s}, {"mean_jct_s", share.mean_jct_s}});
    }
    return users;
}

/// This service's GPUs by their numbers, others by where they stand.
std::vector<std::string> lanes_of(const Wish& wish, const Scene& scene, const Standing& standing) {
    std::vector<std::string> lanes = sim::lane_names(scene.cluster);
    if (wish.cluster.empty())
        for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = fmt::format("gpu{}", standing.gpus[i]);
    return lanes;
}

/// Whether a live service may go by it: not where it interrupts.
bool is_for_live(const schedule::Policy& policy) {
    return schedule::make_live_scheduler({.order = policy.order, .fit = policy.fit, .place = kLiveOnly}).has_value();
}

Result<Json> tried(Inquiry& inquiry, const Limits& limits, Clock::time_point began) {
    auto wish = read_wish(inquiry.body, limits);
    if (!wish) return tl::unexpected(wish.error());
    inquiry.body = {};
    auto scene = scene_of(*wish, inquiry.standing, limits);
    if (!scene) return tl::unexpected(scene.error());
    if (wish->place == kLiveOnly) {
        wish->place = kItsStandIn;
        scene->notes.push_back(
            fmt::format("{} places tasks by what is known of live GPUs: {} stands for it.", kLiveOnly, kItsStandIn));
    }
    const auto tries = tries_of(*wish, inquiry.standing.in_force, scene->cluster, limits);
    if (!tries) return tl::unexpected(tries.error());
    if (const auto stuck = what_never_runs(*wish, *scene)) return tl::unexpected(*stuck);
    inquiry.jobs = scene->trace.jobs.size();
    inquiry.orders = static_cast<std::uint32_t>(tries->trials.size());

    Attendant attendant(inquiry, began + limits.work);
    const sim::Ground ground{scene->trace, scene->cluster.nodes, {}, scene->opening};
    const double bound = sim::lower_bound_s(ground);
    std::vector<measure::Study> studies;
    Json rows = Json::array();
    for (std::size_t i = 0; i < tries->trials.size(); ++i) {
        const sim::Trial& trial = tries->trials[i];
        auto one = sim::try_policy(ground, trial, {true, limits.spells, scene->first_lanes, &attendant});
        if (!one && attendant.is_late())
            return fail(
                Fault::failed,
                fmt::format("it took longer than {} s, {} of {} orders were done", seconds_text(limits.work), i,
                            tries->trials.size()),
                "take fewer jobs or orders, or run 'switchyard simulate' in a terminal, which has no such limit");
        if (!one) return tl::unexpected(one.error());
        one->study.lower_bound_mean_jct_s = bound;
        Json row = output::study_json(one->study);
        row["fit"] = trial.policy.fit;
        row["place"] = trial.policy.place;
        row["in_force"] = i == tries->in_force;
        row["for_live"] = is_for_live(trial.policy);
        row["users"] = users_json(one->study);
        row.update(output::chart_json(one->study));
        rows.push_back(std::move(row));
        studies.push_back(std::move(one->study));
        inquiry.ended = 0;
        ++inquiry.order;
    }
    return Json{{"source",
                 {{"live", wish->live},
                  {"name", wish->live ? "the live queue" : wish->name},
                  {"jobs", scene->trace.jobs.size()},
                  {"running", scene->opening.running}}},
                {"cluster",
                 {{"nodes", scene->cluster.nodes.size()},
                  {"gpus", gpus_of(scene->cluster)},
                  {"own", wish->cluster.empty()},
                  {"lanes", lanes_of(*wish, *scene, inquiry.standing)}}},
                {"notes", scene->notes},
                {"orders", rows},
                {"jobs", output::jobs_json(scene->trace, studies)},
                {"seconds", std::chrono::duration<double>(Clock::now() - began).count()}};
}

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Answer answer_to(Inquiry& inquiry, const Limits& limits) {
    const auto json = tried(inquiry, limits, Clock::now());
    if (json) return {200, text_of(*json)};
    Json refusal{{"error", json.error().message}};
    if (!json.error().fix.empty()) refusal["fix"] = json.error().fix;
    return {422, text_of(refusal)};
}

}  // namespace sy::whatif
