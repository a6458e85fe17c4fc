#include "service/openai/batch_run.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "core/model/describe.h"

namespace sy::openai {

namespace {

/// The one step of a workflow for calls that depend on nothing. No chain is called so: see below.
constexpr const char* kSingles = "calls";
constexpr const char* kChain = "chain";

/// A new key, which is known to be one: Json itself would look through all that are there.
void append(Json& map, const std::string& key, Json value) {
    auto& members = map.get_ref<Json::object_t&>();
    static_cast<Json::object_t::Container&>(members).emplace_back(key, std::move(value));
}

class Maker {
public:
    Maker(const std::vector<BatchLine>& lines, const FindModel& find_model)
        : lines_(lines), left_out_(lines.size()), models_(lines.size()), group_(lines.size()) {
        std::iota(group_.begin(), group_.end(), std::size_t{0});
        leave_out(find_model);
    }

    BatchRun make() {
        std::map<std::size_t, std::vector<std::size_t>> groups;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (left_out_[i]) continue;
            ++run_.steps;
            for (const std::size_t need : lines_[i].needs) group_[root(i)] = root(need);
        }
        for (std::size_t i = 0; i < lines_.size(); ++i)
            if (!left_out_[i]) groups[root(i)].push_back(i);
        for (const auto& [first, members] : groups)
            members.size() == 1 && lines_[members[0]].needs.empty() ? add_single(members[0]) : add_chain(members);
        run_.document = {{"workflows", std::move(workflows_)}, {"requests", std::move(requests_)}};
        return std::move(run_);
    }

private:
    /// Until no line is left that needs one that was left out.
    void leave_out(const FindModel& find_model) {
        std::vector<std::vector<std::size_t>> after(lines_.size());
        std::vector<std::size_t> out;
        const auto leave = [&](std::size_t i, Refusal why) {
            if (left_out_[i]) return;
            left_out_[i] = true;
            out.push_back(i);
            run_.unrunnable.push_back({lines_[i].custom_id, std::move(why)});
        };
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            for (const std::size_t need : lines_[i].needs) after[need].push_back(i);
            const std::string& model = lines_[i].call.model;
            if (const auto found = find_model(model)) {
                models_[i] = *found;
            } else {
                leave(i, {404, fmt::format("there is no model '{}'", model), "model", "model_not_found"});
            }
        }
        for (std::size_t done = 0; done < out.size(); ++done)
            for (const std::size_t next : after[out[done]])
                leave(next, {424, fmt::format("'{}', which it depends on, cannot be run", lines_[out[done]].custom_id),
                             "depends_on", "dependency_failed"});
    }

    std::size_t root(std::size_t i) {
        while (group_[i] != i) i = group_[i] = group_[group_[i]];
        return i;
    }

    Json step(std::size_t at, Json body) const {
        const BatchLine& line = lines_[at];
        Json step{{"model", models_[at]}, {"input", {{"path", line.call.path}, {"body", std::move(body)}}}};
        if (line.call.deadline) step["deadline_s"] = to_seconds(*line.call.deadline);
        return step;
    }

    /// The body comes by a field, so that braces in it are just text.
    void add_single(std::size_t at) {
        const BatchLine& line = lines_[at];
        const auto alike = std::tuple(models_[at], line.call.path, line.call.deadline.value_or(Duration::zero()));
        const auto [known, is_new] = singles_.emplace(alike, fmt::format("{}-{}", kSingles, singles_.size()));
        if (is_new) append(workflows_, known->second, {{"call", step(at, "{{ request.body }}")}});
        add_request(known->second, line.custom_id, line.call.level, Json{{"body", line.call.body}});
    }

    void add_chain(const std::vector<std::size_t>& members) {
        const std::string name = fmt::format("{}-{}", kChain, members.front());
        Json steps = Json::object();
        Json fields = Json::object();
        Level level = Level::low;
        for (const std::size_t at : members) {
            const BatchLine& line = lines_[at];
            level = std::min(level, line.call.level);
            const std::string field = fmt::format("body{}", at);
            if (line.needs.empty()) append(fields, field, line.call.body);
            Json made = step(at, line.needs.empty() ? Json("{{ request." + field + " }}") : line.call.body);
            for (const std::size_t need : line.needs) made["needs"].push_back(lines_[need].custom_id);
            append(steps, line.custom_id, std::move(made));
        }
        append(workflows_, name, std::move(steps));
        add_request(name, lines_[members.front()].custom_id, level, std::move(fields));
    }

    void add_request(const std::string& workflow, const std::string& id, Level level, Json fields) {
        requests_.push_back(
            {{"workflow", workflow}, {"id", id}, {"priority", name_of(level)}, {"fields", std::move(fields)}});
    }

    const std::vector<BatchLine>& lines_;
    std::vector<bool> left_out_;
    std::vector<std::string> models_;  ///< By line: the one that is meant.
    std::vector<std::size_t> group_;   ///< By line: another of the same group, or itself.
    std::map<std::tuple<std::string, std::string, Duration>, std::string> singles_;
    Json workflows_ = Json::object();
    Json requests_ = Json::array();
    BatchRun run_;
};

}  // namespace

BatchRun make_batch_run(const std::vector<BatchLine>& lines, const FindModel& find_model) {
    return Maker(lines, find_model).make();
}

const std::string& custom_id_of(const Request& request, const Workflow& workflow, std::size_t step) {
    return workflow.name.starts_with(kSingles) ? request.id : workflow.steps[step].name;
}

}  // namespace sy::openai
