#include "output/study_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/model/describe.h"

namespace sy::output {

namespace {

using Json = nlohmann::ordered_json;
using measure::Study;

/// More points than this nobody sees.
constexpr std::size_t kMostSteps = 320;

double rounded(double value) {
    return std::round(value * 1000) / 1000;
}

double seconds_from(Instant zero, Instant at) {
    return rounded(to_seconds(at - zero));
}

/// Means of so many neighbours that few enough are left.
Json thinned(const std::vector<double>& values, std::size_t every) {
    Json some = Json::array();
    for (std::size_t i = 0; i < values.size(); i += every) {
        const std::size_t end = std::min(i + every, values.size());
        double sum = 0;
        for (std::size_t k = i; k < end; ++k) sum += values[k];
        some.push_back(rounded(sum / static_cast<double>(end - i)));
    }
    return some;
}

Json course_json(const Study& study) {
    const std::vector<double>& busy = study.course.busy();
    const std::size_t every = std::max<std::size_t>(1, (busy.size() + kMostSteps - 1) / kMostSteps);
    return {{"step_s", to_seconds(study.course.step()) * static_cast<double>(every)},
            {"busy", thinned(busy, every)},
            {"waiting", thinned(study.course.waiting(), every)}};
}

Json spells_json(const Study& study) {
    Json job = Json::array();
    Json lane = Json::array();
    Json lanes = Json::array();
    Json start = Json::array();
    Json end = Json::array();
    for (const measure::Spell& spell : study.spells) {
        job.push_back(spell.job);
        lane.push_back(spell.lane);
        lanes.push_back(spell.lanes);
        start.push_back(seconds_from(study.zero, spell.start));
        end.push_back(seconds_from(study.zero, spell.end));
    }
    Json json{{"job", job}, {"lane", lane}, {"lanes", lanes}, {"start_s", start}, {"end_s", end}};
    if (study.spells_until != kNever) json["until_s"] = seconds_from(study.zero, study.spells_until);
    return json;
}

/// What tells jobs apart by colour: their models where they have any, else their users, else their levels.
struct Grouping {
    std::string by;
    std::vector<std::string> names;
    std::vector<std::uint32_t> of;  ///< By job; -1 as the largest number: none.
};

Grouping grouping_of(const Trace& trace, std::size_t jobs) {
    const auto by_name = [&](const char* by, const std::vector<std::string>& names, NameId Job::*name) {
        Grouping grouping{by, {names.begin() + 1, names.end()}, {}};
        for (std::size_t i = 0; i < jobs; ++i) grouping.of.push_back((trace.jobs[i].*name).value() - 1);
        return grouping;
    };
    if (trace.models.size() > 1) return by_name("model", trace.models, &Job::model);
    if (trace.users.size() > 2) return by_name("user", trace.users, &Job::user);
    Grouping grouping{"priority", {}, {}};
    for (const Level level : {Level::critical, Level::high, Level::normal, Level::low})
        grouping.names.emplace_back(name_of(level));
    for (std::size_t i = 0; i < jobs; ++i) grouping.of.push_back(static_cast<std::uint32_t>(trace.jobs[i].level));
    return grouping;
}

}  // namespace

Json study_json(const Study& study) {
    const measure::Indicators& i = study.indicators;
    return {{"order", study.order},
            {"jobs", i.jobs},
            {"mean_wait_s", i.mean_wait_s},
            {"mean_pending_s", i.mean_pending_s},
            {"mean_jct_s", i.mean_jct_s},
            {"p50_jct_s", i.p50_jct_s},
            {"p99_jct_s", i.p99_jct_s},
            {"longest_wait_s", i.longest_wait_s},
            {"mean_slowdown", i.mean_slowdown},
            {"makespan_s", i.makespan_s},
            {"utilization", i.utilization},
            {"preemptions", i.preemptions},
            {"broken_off", i.broken_off},
            {"lost_gpu_s", i.lost_gpu_s},
            {"node_balance", i.node_balance},
            {"fairness", i.fairness},
            {"with_deadline", i.with_deadline},
            {"late", i.late},
            {"mean_tardiness_s", i.mean_tardiness_s},
            {"lower_bound_mean_jct_s", study.lower_bound_mean_jct_s},
            {"events", study.events},
            {"cpu_s", study.cpu_s}};
}

Json chart_json(const Study& study) {
    Json completion = Json::array();
    for (const double seconds : study.completion_s) completion.push_back(rounded(seconds));
    return {{"course", course_json(study)}, {"completion_s", completion}, {"spells", spells_json(study)}};
}

Json jobs_json(const Trace& trace, std::span<const Study> studies) {
    std::size_t count = 0;
    for (const Study& study : studies)
        for (const measure::Spell& spell : study.spells) count = std::max<std::size_t>(count, spell.job + 1);
    const Grouping grouping = grouping_of(trace, count);
    Json ids = Json::array();
    Json groups = Json::array();
    Json users = Json::array();
    Json submit = Json::array();
    Json gpus = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
        const Job& job = trace.jobs[i];
        ids.push_back(trace.ids[i]);
        groups.push_back(static_cast<std::int32_t>(grouping.of[i]));
        users.push_back(trace.users[job.user.value()]);
        submit.push_back(seconds_from(studies.front().zero, job.submit));
        gpus.push_back(trace.demand_of(job).gpus);
    }
    return {{"grouped_by", grouping.by},
            {"groups", grouping.names},
            {"id", ids},
            {"group", groups},
            {"user", users},
            {"submit_s", submit},
            {"gpus", gpus}};
}

}  // namespace sy::output
