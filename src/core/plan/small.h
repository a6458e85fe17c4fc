// Small: a batch of few jobs as plain numbers, for searches that look at millions of partial plans.
//
// Times are counted in the batch's grain, so a bound rounded up to a whole number lies on the grid by itself. Models
// are numbered from 1 among those that have jobs or are held at time 0; 0 means that a GPU holds nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/plan/problem.h"

namespace sy::plan {

class Small {
public:
    using Time = std::int64_t;

    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::size_t kMostJobs = 256;
    static constexpr std::size_t kMostGpus = 64;

    struct Place {
        std::uint32_t first = 0;
        std::uint32_t end = 1;
        Time lasts = 0;
    };
    struct Job {
        std::uint32_t model = 0;
        std::uint32_t request = 0;
        Time least = 0;   ///< On its fastest place.
        Time behind = 0;  ///< Longest way from its end to the end of its request.
        std::vector<Place> places;
        std::vector<std::uint32_t> needs;
        std::vector<std::uint32_t> successors;
        std::uint64_t gpus = 0;      ///< All that one of its places covers, as bits.
        std::uint32_t twin = kNone;  ///< The last job before it that nothing tells apart from it.
        std::uint32_t label = 0;     ///< The same for all jobs that nothing tells apart.
        std::uint64_t hash = 0;      ///< Random, to tell sets of jobs apart.
        bool takes_time = true;      ///< On every place.
    };
    struct Gpu {
        std::uint32_t kind = 0;
        std::uint32_t family = 0;  ///< The same for GPUs that nothing tells apart but what they did.
        bool in_gangs = false;     ///< Covered by a place of several GPUs.
        Time free = 0;
        std::uint32_t model = 0;
        std::uint32_t group = kNone;  ///< First GPU of the place as part of which it holds its model.
    };
    struct Model {
        std::uint32_t width = 1;
        Time least_load = 0;
        bool has_jobs = false;
        std::vector<Place> places;
    };

    /// Few enough jobs and GPUs, and times that cannot overflow when summed.
    static bool suits(const Problem& problem);

    explicit Small(const Problem& problem);

    const std::vector<Job>& jobs() const { return jobs_; }
    const std::vector<Gpu>& gpus() const { return gpus_; }
    const std::vector<Model>& models() const { return models_; }
    /// The request before each that nothing tells apart from it.
    const std::vector<std::uint32_t>& request_twins() const { return request_twins_; }

    Time load(std::uint32_t kind, std::uint32_t from, std::uint32_t to) const {
        return loads_[(kind * models_.size() + from) * models_.size() + to];
    }
    /// The least it takes from holding one to holding the other, be it by way of others: loads need not be shortest
    /// ways. From a model to itself: as part of another group.
    Time approach(std::uint32_t kind, std::uint32_t from, std::uint32_t to) const {
        return approaches_[(kind * models_.size() + from) * models_.size() + to];
    }
    Time longest_load() const { return longest_load_; }
    /// By how much a GPU that holds `a` must be free before one that holds `b` to be as good for every model.
    Time handicap(std::uint32_t kind, std::uint32_t a, std::uint32_t b) const {
        return handicaps_.empty() ? (a == b ? 0 : kFar) : handicaps_[(kind * models_.size() + a) * models_.size() + b];
    }

    Duration duration(Time time) const { return grain_ * time; }
    Time time(Duration duration) const { return duration / grain_; }

    static constexpr Time kFar = Time{1} << 60;

private:
    void number_models(const Problem& problem);
    void add_gpus(const Problem& problem);
    void add_jobs(const Problem& problem);
    void find_ways_behind();
    void find_twins(const Problem& problem);
    void find_families(const Problem& problem);
    void add_loads(const Problem& problem);
    void load_the_only_model_at_once();
    void find_approaches(std::size_t kinds);
    void find_handicaps(std::size_t kinds);

    Duration grain_;
    std::vector<std::uint32_t> number_;  ///< Of each of the batch's models.
    std::vector<Job> jobs_;
    std::vector<Gpu> gpus_;
    std::vector<Model> models_{1};
    std::vector<std::uint32_t> request_twins_;
    std::vector<Time> loads_;
    std::vector<Time> approaches_;
    Time longest_load_ = 0;
    std::vector<Time> handicaps_;
};

}  // namespace sy::plan
