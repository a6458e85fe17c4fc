#include "sim/traffic/scene_log.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sy::sim {

namespace {

constexpr std::size_t kCourse = 60;
constexpr std::size_t kMostNamed = 4;

std::string named(const SceneEvent& event, const Mesh& mesh) {
    std::string out;
    for (std::size_t i = 0; i < event.nodes.size(); ++i) {
        if (i == kMostNamed) return out + fmt::format(" and {} more", event.nodes.size() - i);
        const bool last = i > 0 && i + 1 == event.nodes.size();
        out += (i == 0 ? "" : last ? " and " : ", ") + mesh.nodes[event.nodes[i]].id;
    }
    return out;
}

std::string_view word(pipeline::Plan plan) {
    switch (plan) {
        case pipeline::Plan::placed: return "placed anew";
        case pipeline::Plan::mended: return "mended";
        case pipeline::Plan::filled: return "filled";
        case pipeline::Plan::shifted: return "shifted";
    }
    return "";
}

}  // namespace

std::string in_words(const SceneEvent& event, const Mesh& mesh) {
    const bool one = event.nodes.size() == 1;
    switch (event.what) {
        case SceneEvent::What::join: return named(event, mesh) + (one ? " joins" : " join");
        case SceneEvent::What::leave: return named(event, mesh) + (one ? " leaves" : " leave");
        case SceneEvent::What::fail: return named(event, mesh) + (one ? " fails" : " fail");
        case SceneEvent::What::rate: return fmt::format("{:g} requests a second", event.per_second);
    }
    return "";
}

std::string in_words(const pipeline::Rebalanced& rebalanced) {
    return fmt::format("{}: {} node{} load{} {:.1f} GB", word(rebalanced.plan), rebalanced.nodes,
                       rebalanced.nodes == 1 ? "" : "s", rebalanced.nodes == 1 ? "s" : "",
                       static_cast<double>(rebalanced.bytes) / 1e9);
}

void SceneLog::begin(Instant now) {
    begun_ = now;
    notes_.clear();
    stretches_ = {Stretch{}};
}

void SceneLog::turn(Instant now, std::string what, Stretch::Part part) {
    stretches_.back().until = now - begun_;
    stretches_.push_back({std::move(what), part, now - begun_, {}});
}

void SceneLog::event(Instant now, std::string what) {
    note(now, what);
    turn(now, std::move(what), Stretch::Part::during);
}

void SceneLog::settled(Instant now) {
    if (is_unsettled()) turn(now, stretches_.back().what, Stretch::Part::after);
}

void SceneLog::rebalanced(Instant now, std::string what) {
    note(now, what);
    if (!stretches_.empty() && !is_unsettled()) turn(now, std::move(what), Stretch::Part::during);
}

void SceneLog::note(Instant now, std::string text) {
    notes_.push_back({now - begun_, std::move(text)});
}

/// Stretches are in order, each from where the last one ended.
std::size_t SceneLog::stretch_at(const std::vector<Stretch>& stretches, Instant at) const {
    const auto after = std::upper_bound(stretches.begin(), stretches.end() - 1, at - begun_,
                                        [](Duration when, const Stretch& s) { return when < s.until; });
    return static_cast<std::size_t>(after - stretches.begin());
}

void SceneLog::fill(std::vector<Stretch>& stretches) const {
    if (stretches.empty()) return;
    std::vector<std::vector<Duration>> latencies(stretches.size());
    for (const auto& [arrived, ended, moved, outcome] : marks_) {
        std::size_t at = stretch_at(stretches, arrived);
        const bool was_hit = moved > 0 || outcome != Outcome::completed;
        for (std::size_t s = at; was_hit && s < stretches.size() && stretches[s].from <= ended - begun_; ++s)
            if (stretches[s].part == Stretch::Part::during) {
                at = s;
                break;
            }
        Stretch& stretch = stretches[at];
        ++stretch.requests;
        stretch.moved += moved;
        if (outcome == Outcome::completed) {
            ++stretch.completed;
            latencies[at].push_back(ended - arrived);
        }
        if (outcome == Outcome::refused) ++stretch.refused;
        if (outcome == Outcome::failed) ++stretch.failed;
    }
    for (std::size_t s = 0; s < stretches.size(); ++s) stretches[s].latency = spread_of(std::move(latencies[s]));
}

void SceneLog::tell(SceneFigures& figures, Instant end) && {
    stretches_.back().until = end - begun_;
    fill(stretches_);
    // What was settled at once took no time; who was under way then saw it all the same.
    std::erase_if(stretches_, [](const Stretch& s) { return s.from == s.until && s.requests == 0; });
    figures.stretches = std::move(stretches_);
    const Duration last = marks_.empty() ? Duration::zero() : marks_.back().arrived - begun_;
    for (std::size_t i = 0; i < kCourse && last > Duration::zero(); ++i)
        figures.course.push_back({.from = last / kCourse * static_cast<std::int64_t>(i),
                                  .until = last / kCourse * static_cast<std::int64_t>(i + 1)});
    fill(figures.course);
    figures.notes = std::move(notes_);
}

}  // namespace sy::sim
