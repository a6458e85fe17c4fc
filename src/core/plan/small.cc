#include "core/plan/small.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/random.h"
#include "core/plan/bound.h"

namespace sy::plan {

namespace {

/// Beyond this many models the table of handicaps costs more than it brings.
constexpr std::size_t kMostCompared = 64;

bool can_take_the_place_of(const Small::Job& a, const Small::Job& b) {
    const auto same_place = [](const Small::Place& x, const Small::Place& y) {
        return x.first == y.first && x.end == y.end && x.lasts == y.lasts;
    };
    return a.model == b.model && a.needs == b.needs && a.successors == b.successors &&
           std::equal(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(), same_place);
}

}  // namespace

bool Small::suits(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    const Batch& batch = problem.batch();
    if (jobs.size() > kMostJobs || batch.gpus.size() > kMostGpus) return false;
    Duration longest_load{};
    for (std::uint32_t kind = 0; kind < batch.kinds.size(); ++kind)
        for (std::uint32_t to = 0; to < batch.models.size(); ++to)
            for (std::uint32_t from = 0; from <= batch.models.size(); ++from)
                longest_load = std::max(
                    longest_load,
                    problem.switch_cost()(KindId(kind), from == 0 ? std::nullopt : std::optional(ModelId(from - 1)),
                                          ModelId(to)));
    double all = 0;
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        Duration longest{};
        for (std::uint32_t kind = 0; kind < batch.kinds.size(); ++kind)
            longest = std::max(longest, jobs.time(KindId(kind), job));
        all += to_seconds(longest) + to_seconds(longest_load);
    }
    return all * 1e9 * static_cast<double>(batch.gpus.size()) < static_cast<double>(kFar) / 4;
}

Small::Small(const Problem& problem) : grain_(grain(problem)) {
    number_models(problem);
    add_gpus(problem);
    add_jobs(problem);
    find_ways_behind();
    find_twins(problem);
    find_families(problem);
    add_loads(problem);
    load_the_only_model_at_once();
    find_approaches(problem.batch().kinds.size());
    find_handicaps(problem.batch().kinds.size());
}

void Small::number_models(const Problem& problem) {
    const Batch& batch = problem.batch();
    number_.assign(batch.models.size(), 0);
    const auto give_number = [&](ModelId id) {
        std::uint32_t& number = number_[id.value()];
        if (number != 0) return;
        number = static_cast<std::uint32_t>(models_.size());
        models_.push_back({batch.models[id.value()].gpus, 0, false, {}});
    };
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
        give_number(problem.jobs().model(job));
        models_[number_[problem.jobs().model(job).value()]].has_jobs = true;
    }
    for (const BatchGpu& gpu : batch.gpus)
        if (gpu.holds) give_number(*gpu.holds);
}

void Small::add_gpus(const Problem& problem) {
    const auto& gpus = problem.batch().gpus;
    for (const BatchGpu& gpu : gpus)
        gpus_.push_back({.kind = gpu.kind.value(), .model = gpu.holds ? number_[gpu.holds->value()] : 0});
    for (std::uint32_t begin = 0; begin < gpus.size();) {
        const std::uint32_t wanted = models_[gpus_[begin].model].width;
        std::uint32_t end = begin + 1;
        while (end < gpus.size() && end - begin < wanted && gpus_[end].model == gpus_[begin].model &&
               gpus[end].node == gpus[begin].node)
            ++end;
        if (end - begin == wanted)
            for (std::uint32_t gpu = begin; gpu < end; ++gpu) gpus_[gpu].group = begin;
        begin = end;
    }
}

void Small::add_jobs(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    Random random(1);
    for (JobIndex index = 0; index < jobs.size(); ++index) {
        Job job;
        job.model = number_[jobs.model(index).value()];
        job.request = jobs.request(index);
        job.hash = random.next();
        job.least = std::numeric_limits<Time>::max();
        for (const GpuSpan& span : problem.spans(jobs.model(index))) {
            const Duration lasts = problem.time(index, span);
            if (lasts < Duration::zero()) continue;
            const Place place{span.first.value(), span.end().value(), time(lasts)};
            job.places.push_back(place);
            job.least = std::min(job.least, place.lasts);
            for (std::uint32_t gpu = place.first; gpu < place.end; ++gpu) {
                job.gpus |= std::uint64_t{1} << gpu;
                gpus_[gpu].in_gangs = gpus_[gpu].in_gangs || span.count > 1;
            }
        }
        job.takes_time = job.least > 0;
        jobs.for_each_need(index, [&](JobIndex need) { job.needs.push_back(need); });
        jobs.for_each_successor(index, [&](JobIndex next) { job.successors.push_back(next); });
        std::sort(job.needs.begin(), job.needs.end());
        std::sort(job.successors.begin(), job.successors.end());
        auto& known = models_[job.model].places;
        for (const Place& place : job.places)
            if (std::none_of(known.begin(), known.end(), [&](const Place& p) { return p.first == place.first; }))
                known.push_back({place.first, place.end, 0});
        jobs_.push_back(std::move(job));
    }
}

void Small::find_ways_behind() {
    std::vector<std::size_t> open;
    std::vector<std::uint32_t> done;
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
        open.push_back(jobs_[j].successors.size());
        if (open[j] == 0) done.push_back(j);
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
        const Job& job = jobs_[done[i]];
        for (const std::uint32_t need : job.needs) {
            jobs_[need].behind = std::max(jobs_[need].behind, job.least + job.behind);
            if (--open[need] == 0) done.push_back(need);
        }
    }
}

/// Whole requests first, then single jobs: those of a request stand for those of all requests like it.
void Small::find_twins(const Problem& problem) {
    const auto& requests = problem.batch().requests;
    for (std::uint32_t r = 0; r < requests.size(); ++r) {
        std::uint32_t twin = kNone;
        for (std::uint32_t other = 0; other < r; ++other)
            if (requests[other].workflow == requests[r].workflow && requests[other].scale == requests[r].scale)
                twin = other;
        request_twins_.push_back(twin);
    }
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
        jobs_[j].label = j;
        for (std::uint32_t other = 0; other < j; ++other)
            if (can_take_the_place_of(jobs_[other], jobs_[j])) {
                jobs_[j].twin = other;
                jobs_[j].label = jobs_[other].label;
            }
        if (const std::uint32_t twin = request_twins_[jobs_[j].request]; twin != kNone)
            jobs_[j].label = jobs_[problem.jobs().first_of(twin) + problem.jobs().step(j)].label;
    }
}

/// A gang tells its GPUs apart by their neighbours, so these stand alone.
void Small::find_families(const Problem& problem) {
    const auto& gpus = problem.batch().gpus;
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
        gpus_[g].family = g;
        for (std::uint32_t other = 0; other < g && !gpus_[g].in_gangs && gpus_[g].family == g; ++other)
            if (!gpus_[other].in_gangs && gpus[other].kind == gpus[g].kind && gpus[other].memory == gpus[g].memory)
                gpus_[g].family = other;
    }
}

void Small::add_loads(const Problem& problem) {
    const std::size_t kinds = problem.batch().kinds.size();
    loads_.assign(kinds * models_.size() * models_.size(), 0);
    std::vector<std::optional<ModelId>> id(models_.size());
    for (std::uint32_t m = 0; m < number_.size(); ++m)
        if (number_[m] != 0) id[number_[m]] = ModelId(m);
    for (std::uint32_t to = 1; to < models_.size(); ++to) {
        models_[to].least_load = kFar;
        for (std::uint32_t kind = 0; kind < kinds; ++kind)
            for (std::uint32_t from = 0; from < models_.size(); ++from) {
                if (from == to) continue;
                const Time load = time(problem.switch_cost()(KindId(kind), id[from], *id[to]));
                loads_[(kind * models_.size() + from) * models_.size() + to] = load;
                models_[to].least_load = std::min(models_[to].least_load, load);
                if (models_[to].has_jobs) longest_load_ = std::max(longest_load_, load);
            }
    }
}

/// Where all jobs are of one model and no gangs, a GPU's only load may as well come first of all.
void Small::load_the_only_model_at_once() {
    std::uint32_t only = 0;
    for (std::uint32_t m = 1; m < models_.size(); ++m) {
        if (!models_[m].has_jobs) continue;
        if (only != 0 || models_[m].width > 1) return;
        only = m;
    }
    if (only == 0) return;
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) {
        gpus_[g].free = load(gpus_[g].kind, gpus_[g].model, only);
        gpus_[g].model = only;
        gpus_[g].group = g;
    }
    std::fill(loads_.begin(), loads_.end(), 0);
    models_[only].least_load = 0;
    longest_load_ = 0;
}

/// All shortest ways (Floyd and Warshall).
void Small::find_approaches(std::size_t kinds) {
    const std::size_t count = models_.size();
    approaches_ = loads_;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        Time* const way = approaches_.data() + kind * count * count;
        for (std::size_t m = 1; m < count; ++m) way[m * count + m] = way[m];
        for (std::size_t by = 1; by < count; ++by)
            for (std::size_t from = 0; from < count; ++from)
                for (std::size_t to = 1; to < count; ++to)
                    way[from * count + to] =
                        std::min(way[from * count + to], way[from * count + by] + way[by * count + to]);
    }
}

void Small::find_handicaps(std::size_t kinds) {
    const auto count = static_cast<std::uint32_t>(models_.size());
    if (count > kMostCompared) return;
    std::vector<Time> all;
    for (std::uint32_t kind = 0; kind < kinds; ++kind)
        for (std::uint32_t a = 0; a < count; ++a)
            for (std::uint32_t b = 0; b < count; ++b) {
                Time most = -kFar;
                for (std::uint32_t to = 1; to < count; ++to)
                    if (models_[to].has_jobs) most = std::max(most, load(kind, a, to) - load(kind, b, to));
                all.push_back(most);
            }
    handicaps_ = std::move(all);
}

}  // namespace sy::plan
