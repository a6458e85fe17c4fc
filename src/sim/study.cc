#include "sim/study.h"

#include <algorithm>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "core/optimum/lower_bound.h"
#include "sim/node_use.h"
#include "sim/spells.h"

namespace sy::sim {

namespace {

constexpr std::size_t kQuantiles = 400;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::vector<double> quantiles(std::span<const double> sorted) {
    std::vector<double> some;
    for (std::size_t i = 0; i <= kQuantiles; ++i)
        some.push_back(measure::quantile(sorted, static_cast<double>(i) / kQuantiles));
    return some;
}

std::uint64_t gpus_of(std::span<const NodeSpec> nodes) {
    std::uint64_t gpus = 0;
    for (const NodeSpec& node : nodes) gpus += node.gpus;
    return gpus;
}

/// Where the trace is taken up in the middle, the same with nothing before that.
class Counted {
public:
    explicit Counted(const Ground& ground) : trace_(&ground.trace) {
        if (ground.opening.at == kStart) return;
        own_ = ground.trace;
        for (Job& job : own_->jobs) job.submit = std::max(job.submit, ground.opening.at);
        trace_ = &*own_;
    }
    const Trace& trace() const { return *trace_; }

private:
    std::optional<Trace> own_;
    const Trace* trace_;
};

/// Hands on to all that look.
class Audience final : public Onlooker {
public:
    void add(Onlooker* onlooker) {
        if (onlooker != nullptr) all_.push_back(onlooker);
    }
    void keep(measure::Course& course) { course_ = &course; }
    bool is_idle() const { return all_.empty() && course_ == nullptr; }

    void decided(Instant at, const schedule::Decision& decision, std::uint64_t busy, std::size_t waiting) override {
        if (course_ != nullptr) course_->set(at, static_cast<double>(busy), static_cast<double>(waiting));
        for (Onlooker* each : all_) each->decided(at, decision, busy, waiting);
    }
    void left(Instant at, TaskId task) override {
        for (Onlooker* each : all_) each->left(at, task);
    }
    bool go_on() override {
        return std::all_of(all_.begin(), all_.end(), [](Onlooker* each) { return each->go_on(); });
    }

private:
    std::vector<Onlooker*> all_;
    measure::Course* course_ = nullptr;
};

}  // namespace

Result<Tried> try_policy(const Ground& ground, const Trial& trial, const Attention& attention) {
    Tried tried;
    measure::Study& study = tried.study;
    study.order = trial.name;
    Audience audience;
    if (attention.course) audience.keep(study.course);
    std::optional<NodeUse> use;
    if (trial.policy.place != "count") audience.add(&use.emplace(ground.nodes));
    std::optional<Spells> spells;
    if (attention.spells > 0 && gpus_of(ground.nodes) <= kMostLanes)
        audience.add(&spells.emplace(ground.trace, ground.nodes, trial.policy,
                                     Spells::Terms{attention.spells, attention.first_lanes}));
    audience.add(attention.also);
    const double began = cpu_seconds();
    auto replayed = replay(ground.trace, ground.nodes, trial.policy, audience.is_idle() ? nullptr : &audience,
                           ground.faults, ground.opening);
    study.cpu_s = cpu_seconds() - began;
    if (!replayed) return tl::unexpected(replayed.error());
    tried.jobs = std::move(replayed->jobs);
    study.events = replayed->events;
    const Counted counted(ground);
    study.indicators = measure::indicators(counted.trace(), tried.jobs, gpus_of(ground.nodes));
    if (use) study.indicators.node_balance = measure::jain_index(use->per_gpu_s());
    study.users = measure::user_shares(counted.trace(), tried.jobs);
    study.completion_s = quantiles(measure::sorted_completion_s(counted.trace(), tried.jobs));
    if (!counted.trace().jobs.empty()) study.zero = counted.trace().jobs.front().submit;
    if (spells) {
        study.spells_until = spells->until();
        study.spells = spells->take();
    }
    return tried;
}

double lower_bound_s(const Ground& ground) {
    const Counted counted(ground);
    return optimum::mean_completion_bound_s(counted.trace(), static_cast<GpuCount>(gpus_of(ground.nodes)));
}

std::vector<std::string> lane_names(const Cluster& cluster) {
    std::vector<std::string> names;
    if (gpus_of(cluster.nodes) > kMostLanes) return names;
    for (std::size_t node = 0; node < cluster.nodes.size(); ++node)
        for (GpuCount gpu = 0; gpu < cluster.nodes[node].gpus; ++gpu)
            names.push_back(cluster.nodes.size() > 1 ? fmt::format("{}.{}", node, gpu) : fmt::format("gpu{}", gpu));
    return names;
}

}  // namespace sy::sim
