#include "input/plan_file.h"

#include <cmath>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "input/reading.h"

namespace sy::input {

namespace {

constexpr double kMostPlanSeconds = 1e9;

/// Of figures that others wrote with fewer digits.
constexpr Duration kRounding = 1us;

class PlanReader {
public:
    explicit PlanReader(const Batch& batch) : batch_(batch) {
        JobIndex first = 0;
        for (std::uint32_t r = 0; r < batch.requests.size(); ++r) {
            requests_.emplace(batch.requests[r].id, Found{r, first});
            first += static_cast<JobIndex>(batch.workflows[batch.requests[r].workflow].steps.size());
        }
        steps_.resize(batch.workflows.size());
        for (std::size_t w = 0; w < batch.workflows.size(); ++w)
            for (std::uint32_t s = 0; s < batch.workflows[w].steps.size(); ++s)
                steps_[w].emplace(batch.workflows[w].steps[s].name, s);
    }

    Plan read(const Node& root) const {
        expect(root, Kind::map, "the plan");
        const auto find = [&](std::string_view key) -> const Node* {
            for (std::size_t i = 0; i < root.keys.size(); ++i)
                if (root.keys[i].text == key) return &root.items[i];
            return nullptr;
        };
        const Node* tasks = find("tasks");
        if (tasks == nullptr) throw Refused{root.mark, "the plan has no tasks", "is this a plan file?"};
        expect(*tasks, Kind::list, "tasks");
        Plan plan;
        for (const Node& task : tasks->items) plan.jobs.push_back(read_task(task));
        if (const Node* stated = find("makespan_s"); stated != nullptr && stated->kind != Kind::nothing)
            check_makespan(*stated, plan.makespan());
        return plan;
    }

private:
    static void check_makespan(const Node& stated, Duration makespan) {
        const Duration said = instant_of(stated, "makespan_s") - kStart;
        if (said - makespan <= kRounding && makespan - said <= kRounding) return;
        throw Refused{
            stated.mark,
            fmt::format("makespan_s is {}, the plan's tasks end after {} s", shown(stated), seconds_text(makespan)),
            "write what the tasks say, or leave it out"};
    }

    struct Found {
        std::uint32_t request = 0;
        JobIndex first = 0;
    };

    PlannedJob read_task(const Node& node) const {
        const Map task(node, "this task",
                       {"request", "node", "model", "gpus", "switch_start_s", "switch_end_s", "start_s", "end_s"});
        PlannedJob job;
        job.job = job_named(task.require("request"), task.require("node"));
        job.gpus = span_of(task.require("gpus"));
        job.start = instant_of(task.require("start_s"), "start_s");
        job.end = instant_of(task.require("end_s"), "end_s");
        const Node* begin = task.find("switch_start_s");
        const Node* end = task.find("switch_end_s");
        const auto is_given = [](const Node* n) { return n != nullptr && n->kind != Kind::nothing; };
        if (is_given(begin) != is_given(end))
            throw Refused{node.mark, "only one of switch_start_s and switch_end_s is given", "give both or neither"};
        if (is_given(begin))
            job.load = SwitchTimes{instant_of(*begin, "switch_start_s"), instant_of(*end, "switch_end_s")};
        return job;
    }

    JobIndex job_named(const Node& request, const Node& step) const {
        const auto found = requests_.find(text_of(request, "request"));
        if (found == requests_.end())
            throw Refused{request.mark, fmt::format("the batch has no request {}", shown(request)),
                          "is this the plan of this batch?"};
        const auto& steps = steps_[batch_.requests[found->second.request].workflow];
        const auto at = steps.find(text_of(step, "node"));
        if (at == steps.end())
            throw Refused{step.mark, fmt::format("request {} has no node {}", request.text, shown(step)),
                          "is this the plan of this batch?"};
        return found->second.first + at->second;
    }

    static GpuSpan span_of(const Node& node) {
        expect(node, Kind::list, "gpus");
        if (node.items.empty()) throw Refused{node.mark, "gpus is empty", "name at least one GPU"};
        const auto id = [](const Node& n) { return static_cast<std::uint32_t>(whole_of(n, "a GPU id", 0, 1U << 30)); };
        const GpuSpan span{GpuId(id(node.items.front())), static_cast<GpuCount>(node.items.size())};
        for (std::size_t i = 0; i < node.items.size(); ++i)
            if (id(node.items[i]) != span.first.value() + i)
                throw Refused{node.items[i].mark, "the GPUs of a gang are not consecutive",
                              "list them in order, without holes"};
        return span;
    }

    static Instant instant_of(const Node& node, const std::string& what) {
        if (node.kind == Kind::scalar)
            if (const auto exact = parse_seconds(node.text); exact && *exact < kEnd - kStart) return kStart + *exact;
        return kStart + Duration(std::llround(real_of(node, what, {-kMostPlanSeconds, kMostPlanSeconds, false}) * 1e9));
    }

    const Batch& batch_;
    std::unordered_map<std::string, Found> requests_;
    std::vector<std::unordered_map<std::string, std::uint32_t>> steps_;
};

}  // namespace

Result<Plan> read_plan(const Document& document, const Batch& batch) {
    try {
        return PlanReader(batch).read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
