#include "core/plan/verify.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include <fmt/core.h>

namespace sy::plan {

namespace {

/// A job's request and step, by counting through the batch.
struct Where {
    std::uint32_t request = 0;
    std::uint32_t step = 0;
    JobIndex first = 0;  ///< The request's first job.
};

/// A GPU holds a model as part of one group of GPUs.
struct Holding {
    ModelId model;
    GpuSpan group;

    friend bool operator==(const Holding&, const Holding&) = default;
};

class Verifier {
public:
    Verifier(const Batch& batch, const Plan& plan) : batch_(batch), plan_(plan) {
        for (std::uint32_t r = 0; r < batch.requests.size(); ++r) {
            const auto first = static_cast<JobIndex>(jobs_.size());
            const std::size_t steps = batch.workflows[batch.requests[r].workflow].steps.size();
            for (std::uint32_t s = 0; s < steps; ++s) jobs_.push_back({r, s, first});
        }
    }

    Result<void> run() {
        if (auto wrong = every_job_once(); !wrong) return wrong;
        for (const PlannedJob& job : plan_.jobs) {
            if (auto wrong = stands_on_the_cluster(job); !wrong) return wrong;
            if (auto wrong = lasts_as_long_as_it_should(job); !wrong) return wrong;
            if (auto wrong = starts_after_its_needs(job); !wrong) return wrong;
        }
        return gpus_do_one_thing_at_a_time();
    }

private:
    const Step& step(JobIndex job) const {
        return batch_.workflows[batch_.requests[jobs_[job].request].workflow].steps[jobs_[job].step];
    }
    const ModelSpec& model(JobIndex job) const { return batch_.models[step(job).model.value()]; }

    tl::unexpected<Error> wrong(const PlannedJob& job, const std::string& what) const {
        return fail(Fault::failed, fmt::format("node {} of request {}: {}", step(job.job).name,
                                               batch_.requests[jobs_[job.job].request].id, what));
    }
    static double s(Duration d) { return to_seconds(d); }
    static double s(Instant t) { return to_seconds(t - kStart); }

    Result<void> every_job_once() {
        end_.assign(jobs_.size(), std::nullopt);
        for (const PlannedJob& job : plan_.jobs) {
            if (job.job >= jobs_.size())
                return fail(Fault::failed,
                            fmt::format("the plan names job {}, the batch has {}", job.job, jobs_.size()));
            if (end_[job.job]) return wrong(job, "is planned twice");
            end_[job.job] = job.end;
        }
        for (JobIndex job = 0; job < jobs_.size(); ++job)
            if (!end_[job]) return wrong(PlannedJob{.job = job}, "is not planned");
        return {};
    }

    /// Rules 4 and 5: consecutive GPUs of one node, as many as the model wants, each with room for its part.
    Result<void> stands_on_the_cluster(const PlannedJob& job) const {
        const ModelSpec& spec = model(job.job);
        if (job.gpus.count != spec.gpus)
            return wrong(job, fmt::format("runs on {} GPUs, model {} wants {}", job.gpus.count, spec.name, spec.gpus));
        if (job.gpus.first.value() + std::uint64_t{job.gpus.count} > batch_.gpus.size())
            return wrong(job, fmt::format("runs on GPU {}, the cluster has {}",
                                          job.gpus.first.value() + job.gpus.count - 1, batch_.gpus.size()));
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
            const BatchGpu& on = batch_.gpus[gpu.value()];
            if (on.node != batch_.gpus[job.gpus.first.value()].node)
                return wrong(job, fmt::format("its gang spans two nodes, at GPU {}", gpu.value()));
            if (on.memory < spec.memory_per_gpu())
                return wrong(job, fmt::format("model {} does not fit GPU {}", spec.name, gpu.value()));
        }
        return {};
    }

    /// Rule 7, and of rule 4 that a gang lasts as long as its slowest kind.
    Result<void> lasts_as_long_as_it_should(const PlannedJob& job) const {
        Duration longest{};
        for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next()) {
            const KindId kind = batch_.gpus[gpu.value()].kind;
            const auto seconds = step(job.job).seconds[kind.value()];
            if (!seconds) return wrong(job, fmt::format("cannot run on kind {}", batch_.kinds[kind.value()]));
            const double scaled = *seconds * batch_.requests[jobs_[job.job].request].scale;
            longest = std::max(longest, Duration(std::llround(scaled * 1e9)));
        }
        if (job.start < kStart) return wrong(job, fmt::format("starts at {} s, before the plan does", s(job.start)));
        if (job.end - job.start != longest)
            return wrong(job, fmt::format("lasts {} s, it should last {} s", s(job.end - job.start), s(longest)));
        return {};
    }

    /// Rule 2.
    Result<void> starts_after_its_needs(const PlannedJob& job) const {
        for (const std::uint32_t need : step(job.job).needs) {
            const JobIndex before = jobs_[job.job].first + need;
            if (job.start < *end_[before])
                return wrong(job, fmt::format("starts at {} s, but needs {}, which ends at {} s", s(job.start),
                                              step(before).name, s(*end_[before])));
        }
        return {};
    }

    /// Rules 1, 3 and 6, GPU by GPU in order of time.
    Result<void> gpus_do_one_thing_at_a_time() const {
        std::vector<std::vector<const PlannedJob*>> by_gpu(batch_.gpus.size());
        for (const PlannedJob& job : plan_.jobs)
            for (GpuId gpu = job.gpus.first; gpu < job.gpus.end(); gpu = gpu.next())
                by_gpu[gpu.value()].push_back(&job);
        const auto initial = initial_holdings();
        for (std::uint32_t gpu = 0; gpu < by_gpu.size(); ++gpu) {
            auto& jobs = by_gpu[gpu];
            std::stable_sort(jobs.begin(), jobs.end(), comes_before);
            Instant free = kStart;
            std::optional<Holding> holds = initial[gpu];
            for (const PlannedJob* job : jobs) {
                if (auto bad = fits_in(*job, GpuId(gpu), free, holds); !bad) return bad;
                free = job->end;
                holds = Holding{step(job->job).model, job->gpus};
            }
        }
        return {};
    }

    /// By when each takes the GPU, with its switch if it has one; of two at once the one that leaves it first. Jobs
    /// that take no time at all keep the plan's order.
    static bool comes_before(const PlannedJob* a, const PlannedJob* b) {
        const auto key = [](const PlannedJob* job) {
            return std::tuple(job->load ? job->load->start : job->start, job->end);
        };
        return key(a) < key(b);
    }

    Result<void> fits_in(const PlannedJob& job, GpuId gpu, Instant free, const std::optional<Holding>& holds) const {
        const Holding wanted{step(job.job).model, job.gpus};
        if (!job.load) {
            if (job.start < free)
                return wrong(job, fmt::format("starts at {} s on GPU {}, which is busy until {} s", s(job.start),
                                              gpu.value(), s(free)));
            if (holds != wanted)
                return wrong(job, fmt::format("runs on GPU {} without a switch, but it does not hold {}", gpu.value(),
                                              model(job.job).name));
            return {};
        }
        if (job.load->start < free)
            return wrong(job, fmt::format("its switch starts at {} s on GPU {}, which is busy until {} s",
                                          s(job.load->start), gpu.value(), s(free)));
        if (job.load->end > job.start)
            return wrong(job,
                         fmt::format("starts at {} s, before its switch ends at {} s", s(job.start), s(job.load->end)));
        const Duration least = switch_time(gpu, holds, wanted);
        if (job.load->end - job.load->start < least)
            return wrong(job, fmt::format("its switch on GPU {} takes {} s, it needs {} s", gpu.value(),
                                          s(job.load->end - job.load->start), s(least)));
        return {};
    }

    /// P1 as written: the matrix where it speaks, the formula elsewhere. The same model in another group counts as a
    /// load onto an empty GPU.
    Duration switch_time(GpuId gpu, const std::optional<Holding>& from, const Holding& to) const {
        if (from == to) return Duration::zero();
        const bool from_nothing = !from || from->model == to.model;
        const std::optional<ModelId> out = from_nothing ? std::nullopt : std::optional(from->model);
        const KindId kind = batch_.gpus[gpu.value()].kind;
        std::optional<Duration> measured;
        for (const SwitchMatrix& matrix : batch_.switching.matrices) {
            if (matrix.kind && *matrix.kind != kind) continue;
            for (std::size_t f = 0; f < matrix.from.size(); ++f)
                for (std::size_t t = 0; t < matrix.to.size(); ++t)
                    if (matrix.from[f] == out && matrix.to[t] == to.model) measured = matrix.times[f][t];
        }
        if (measured) return *measured;
        const auto part = [this](ModelId id) {
            const ModelSpec& spec = batch_.models[id.value()];
            return static_cast<double>(spec.memory.value()) / spec.gpus;
        };
        double bytes = part(to.model);
        if (out && batch_.switching.unload) bytes += part(*out);
        return Duration(std::llround(bytes / batch_.switching.bytes_per_second * 1e9)) + batch_.switching.overhead;
    }

    /// At time 0. GPUs that hold the same gang model side by side form groups from the lowest id on.
    std::vector<std::optional<Holding>> initial_holdings() const {
        std::vector<std::optional<Holding>> holdings(batch_.gpus.size());
        for (std::uint32_t gpu = 0; gpu < batch_.gpus.size();) {
            const auto held = batch_.gpus[gpu].holds;
            if (!held) {
                ++gpu;
                continue;
            }
            const GpuSpan group{GpuId(gpu), batch_.models[held->value()].gpus};
            std::uint32_t end = gpu;
            while (end < batch_.gpus.size() && GpuId(end) < group.end() && batch_.gpus[end].holds == held &&
                   batch_.gpus[end].node == batch_.gpus[gpu].node)
                ++end;
            for (std::uint32_t i = gpu; i < end; ++i) holdings[i] = Holding{*held, {GpuId(gpu), end - gpu}};
            gpu = end;
        }
        return holdings;
    }

    const Batch& batch_;
    const Plan& plan_;
    std::vector<Where> jobs_;
    std::vector<std::optional<Instant>> end_;
};

}  // namespace

Result<void> verify(const Batch& batch, const Plan& plan) {
    return Verifier(batch, plan).run();
}

}  // namespace sy::plan
