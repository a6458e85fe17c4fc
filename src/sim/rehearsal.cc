#include "sim/rehearsal.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "base/random.h"
#include "sim/agenda.h"
#include "sim/draw.h"

namespace sy::sim {

namespace {

/// Real over planned time of each job. The same however it is run.
std::vector<double> real_over_planned(std::size_t jobs, const Conditions& conditions) {
    Random random(conditions.seed);
    std::vector<double> ratio(jobs, 1.0);
    if (conditions.noise > 0)
        for (double& own : ratio) own = draw_lognormal(random, conditions.noise);
    return ratio;
}

Duration stretched(Duration time, double by) {
    return Duration(std::llround(static_cast<double>(time.count()) * by));
}

class World {
public:
    World(const plan::Problem& problem, const std::vector<PlannedJob>& plan, const execute::Settings& settings,
          const Conditions& conditions)
        : problem_(problem),
          conditions_(conditions),
          conductor_(problem, plan, settings),
          ratio_(real_over_planned(problem.jobs().size(), conditions)),
          attempts_(problem.jobs().size()),
          switches_(conditions.seed + 1),
          gpus_(problem.batch().gpus.size()),
          seats_(problem) {
        for (const GpuAbsence& absence : conditions.absences) {
            agenda_.enter(absence.from, Happening{Happening::What::lost, absence.gpu});
            if (absence.until != kNever) agenda_.enter(absence.until, Happening{Happening::What::back, absence.gpu});
        }
    }

    Rehearsal run() {
        follow_orders();
        while (!agenda_.empty() && !conductor_.is_over()) {
            const Instant now = agenda_.next();
            while (!agenda_.empty() && agenda_.next() == now) happen(agenda_.take());
            follow_orders();
        }
        course_.progress = conductor_.progress(agenda_.now());
        for (const Activity& activity : course_.activities)
            course_.makespan = std::max(course_.makespan, activity.end - kStart);
        std::sort(course_.jobs.begin(), course_.jobs.end(), [](const PlannedJob& a, const PlannedJob& b) {
            return std::tie(a.start, a.gpus.first, a.job) < std::tie(b.start, b.gpus.first, b.job);
        });
        return std::move(course_);
    }

private:
    /// An order on its way.
    struct Work {
        std::optional<JobIndex> job;
        ModelId model;
        GpuSpan gpus;
        bool has_begun = false;
        bool is_loading = false;
        bool fails = false;
        bool is_void = false;
        Instant start;  ///< Of what it does now: loading or running.
    };
    struct Happening {
        enum class What : std::uint8_t { done, lost, back };
        What what = What::done;
        GpuId gpu;             ///< Lost or back.
        std::size_t work = 0;  ///< Done.
    };
    struct Gpu {
        std::deque<std::size_t> queue;    ///< What it was handed, first what it does.
        std::optional<SwitchTimes> load;  ///< The last one, until a job has come behind it.
    };

    void follow_orders() {
        for (auto orders = conductor_.decide(agenda_.now()); !orders.empty(); orders = conductor_.decide(agenda_.now()))
            for (const execute::Order& order : orders) accept(order);
    }

    void accept(const execute::Order& order) {
        Work work;
        if (const auto* start = std::get_if<execute::Start>(&order)) {
            work.job = start->job;
            work.model = problem_.jobs().model(start->job);
            work.gpus = start->gpus;
        } else {
            work.model = std::get<execute::Load>(order).model;
            work.gpus = std::get<execute::Load>(order).gpus;
        }
        for (GpuId gpu = work.gpus.first; gpu < work.gpus.end(); gpu = gpu.next())
            gpus_[gpu.value()].queue.push_back(works_.size());
        works_.push_back(work);
        begin_if_first(works_.size() - 1);
    }

    /// Begins when all its GPUs have come to it.
    void begin_if_first(std::size_t number) {
        Work& work = works_[number];
        if (work.has_begun) return;
        for (GpuId gpu = work.gpus.first; gpu < work.gpus.end(); gpu = gpu.next())
            if (gpus_[gpu.value()].queue.front() != number) return;
        work.has_begun = true;
        work.start = agenda_.now();
        if (!seats_.holds(work.gpus, work.model)) return load(number);
        run_job(number);
    }

    void load(std::size_t number) {
        Work& work = works_[number];
        work.is_loading = true;
        Duration lasts = seats_.switch_time(work.gpus, work.model);
        if (conditions_.switch_noise > 0) lasts = stretched(lasts, draw_lognormal(switches_, conditions_.switch_noise));
        for (GpuId gpu = work.gpus.first; gpu < work.gpus.end(); gpu = gpu.next()) seats_.at(gpu).model.reset();
        agenda_.enter(agenda_.now() + lasts, {Happening::What::done, {}, number});
    }

    void run_job(std::size_t number) {
        Work& work = works_[number];
        if (!work.job) return finish(number);  // it was there already
        conductor_.started(*work.job, work.gpus, agenda_.now());
        Duration lasts = stretched(problem_.time(*work.job, work.gpus), ratio_[*work.job]);
        Random luck(conditions_.seed + 0x9E3779B97F4A7C15U * (std::uint64_t{*work.job} * 64 + ++attempts_[*work.job]));
        work.fails = luck.chance(conditions_.failures);
        if (work.fails) lasts = stretched(lasts, luck.uniform());
        agenda_.enter(agenda_.now() + lasts, {Happening::What::done, {}, number});
    }

    void happen(const Happening& happening) {
        switch (happening.what) {
            case Happening::What::lost: return lose(happening.gpu);
            case Happening::What::back: return conductor_.gpu_back(happening.gpu, agenda_.now());
            case Happening::What::done: break;
        }
        Work& work = works_[happening.work];
        if (work.is_void) return;
        if (!work.is_loading) return finish(happening.work);
        record(work, Activity::Outcome::succeeded);
        work.is_loading = false;
        seats_.settle(work.gpus, work.model);
        for (GpuId gpu = work.gpus.first; gpu < work.gpus.end(); gpu = gpu.next())
            gpus_[gpu.value()].load = SwitchTimes{work.start, agenda_.now()};
        work.start = agenda_.now();
        run_job(happening.work);
    }

    /// A job has ended, well or not, or a model is loaded.
    void finish(std::size_t number) {
        Work& work = works_[number];
        if (!work.job) {
            conductor_.loaded(work.model, work.gpus, agenda_.now());
        } else if (work.fails) {
            record(work, Activity::Outcome::failed);
            ++course_.failures;
            conductor_.failed(*work.job, agenda_.now());
        } else {
            record(work, Activity::Outcome::succeeded);
            auto& load = gpus_[work.gpus.first.value()].load;
            course_.jobs.push_back({*work.job, work.gpus, std::exchange(load, {}), work.start, agenda_.now()});
            conductor_.ended(*work.job, agenda_.now());
        }
        leave(number);
    }

    void leave(std::size_t number) {
        const GpuSpan gpus = works_[number].gpus;
        works_[number].is_void = true;
        for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next()) std::erase(gpus_[gpu.value()].queue, number);
        for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
            if (!gpus_[gpu.value()].queue.empty()) begin_if_first(gpus_[gpu.value()].queue.front());
    }

    void lose(GpuId gpu) {
        conductor_.gpu_lost(gpu, agenda_.now());
        while (!gpus_[gpu.value()].queue.empty()) cut_off(gpus_[gpu.value()].queue.back());
        seats_.at(gpu).model.reset();
    }

    void cut_off(std::size_t number) {
        const Work work = works_[number];
        if (work.has_begun) record(work, Activity::Outcome::cut_off);
        if (work.is_loading)
            for (GpuId gpu = work.gpus.first; gpu < work.gpus.end(); gpu = gpu.next())
                conductor_.holds(gpu, std::nullopt);
        if (work.job) conductor_.taken_back(*work.job, agenda_.now());
        leave(number);
    }

    void record(const Work& work, Activity::Outcome outcome) {
        course_.activities.push_back(
            {work.is_loading ? std::nullopt : work.job, work.model, work.gpus, work.start, agenda_.now(), outcome});
    }

    const plan::Problem& problem_;
    const Conditions& conditions_;
    execute::Conductor conductor_;
    const std::vector<double> ratio_;
    std::vector<std::uint32_t> attempts_;
    Random switches_;
    std::vector<Gpu> gpus_;
    execute::Seats seats_;
    std::vector<Work> works_;
    Agenda<Happening> agenda_;
    Rehearsal course_;
};

}  // namespace

Rehearsal rehearse(const plan::Problem& problem, const std::vector<PlannedJob>& plan, const execute::Settings& settings,
                   const Conditions& conditions) {
    return World(problem, plan, settings, conditions).run();
}

Batch with_real_times(const Batch& batch, const Conditions& conditions) {
    std::size_t jobs = 0;
    for (const Request& request : batch.requests) jobs += batch.workflows[request.workflow].steps.size();
    const std::vector<double> ratio = real_over_planned(jobs, conditions);
    Batch real = batch;
    real.workflows.clear();
    real.requests.clear();
    for (std::size_t job = 0; const Request& request : batch.requests) {
        Workflow workflow = batch.workflows[request.workflow];
        for (Step& step : workflow.steps) {
            for (auto& seconds : step.seconds)
                if (seconds) *seconds *= request.scale * ratio[job];
            ++job;
        }
        real.requests.push_back({request.id, static_cast<std::uint32_t>(real.workflows.size()), 1, request.level});
        real.workflows.push_back(std::move(workflow));
    }
    return real;
}

}  // namespace sy::sim
