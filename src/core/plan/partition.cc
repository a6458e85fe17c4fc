// Where nothing waits for anything, a GPU's time depends only on which jobs it has and in what order. So the shortest
// order of every set of jobs on a GPU is found first, from the shortest orders of the sets with one job less, by last
// job (Held and Karp). Then GPU after GPU: the first k GPUs do a set S best by some split of S between the k-th and
// those before it, and all splits of all sets are looked at. With n jobs that is n²·2ⁿ steps for each GPU that differs
// and 3ⁿ for each GPU: 13 jobs on 5 GPUs take some hundredths of a second.
#include "core/plan/partition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace sy::plan {

namespace {

using Time = Small::Time;
using Set = std::uint32_t;  // of jobs, as bits

constexpr double kMostSteps = 3e7;

/// The shortest orders of all sets of jobs on one GPU.
class Orders {
public:
    Orders(const Small& small, std::uint32_t gpu) : small_(small), gpu_(small.gpus()[gpu]) {
        const std::size_t jobs = small.jobs().size();
        for (const Small::Job& job : small.jobs()) {
            lasts_.push_back(Small::kFar);
            for (const Small::Place& place : job.places)
                if (place.first == gpu) lasts_.back() = place.lasts;
        }
        ends_.assign((std::size_t{1} << jobs) * jobs, Small::kFar);
        for (std::uint32_t j = 0; j < jobs; ++j) at(Set{1} << j, j) = gpu_.free + step(gpu_.model, j);
        for (Set set = 1; set < Set{1} << jobs; ++set)
            for (std::uint32_t last = 0; last < jobs; ++last)
                if ((set >> last & 1) != 0) extend(set, last);
    }

    /// When the GPU is done with all of the set; kFar or later where it cannot do them.
    Time end(Set set) const { return set == 0 ? 0 : at(set, best_last(set)); }

    std::vector<std::uint32_t> order(Set set) const {
        std::vector<std::uint32_t> jobs{best_last(set)};
        for (; set != Set{1} << jobs.back(); jobs.push_back(before(set | Set{1} << jobs.back(), jobs.back())))
            set &= ~(Set{1} << jobs.back());
        return {jobs.rbegin(), jobs.rend()};
    }

private:
    Time& at(Set set, std::uint32_t last) { return ends_[set * lasts_.size() + last]; }
    Time at(Set set, std::uint32_t last) const { return ends_[set * lasts_.size() + last]; }

    Time step(std::uint32_t held, std::uint32_t job) const {
        return small_.load(gpu_.kind, held, small_.jobs()[job].model) + lasts_[job];
    }

    void extend(Set set, std::uint32_t last) {
        const Time end = at(set, last);
        if (end >= Small::kFar) return;
        for (std::uint32_t next = 0; next < lasts_.size(); ++next) {
            if ((set >> next & 1) != 0 || lasts_[next] >= Small::kFar) continue;
            Time& known = at(set | Set{1} << next, next);
            known = std::min(known, end + step(small_.jobs()[last].model, next));
        }
    }

    std::uint32_t best_last(Set set) const {
        std::uint32_t best = 0;
        for (std::uint32_t last = 1; last < lasts_.size(); ++last)
            if (at(set, last) < at(set, best)) best = last;
        return best;
    }

    /// Which job comes before the last one in the shortest order that ends so.
    std::uint32_t before(Set set, std::uint32_t last) const {
        const Set rest = set & ~(Set{1} << last);
        for (std::uint32_t job = 0; job < lasts_.size(); ++job)
            if ((rest >> job & 1) != 0 && at(rest, job) + step(small_.jobs()[job].model, last) == at(set, last))
                return job;
        return last;
    }

    const Small& small_;
    const Small::Gpu& gpu_;
    std::vector<Time> lasts_;  ///< By job.
    std::vector<Time> ends_;   ///< By set and last job.
};

bool alike(const Small::Gpu& a, const Small::Gpu& b) {
    return std::tie(a.family, a.free, a.model) == std::tie(b.family, b.free, b.model);
}

}  // namespace

bool can_partition(const Small& small) {
    const auto& jobs = small.jobs();
    const double steps = std::pow(3, static_cast<double>(jobs.size())) * static_cast<double>(small.gpus().size());
    return steps <= kMostSteps && std::all_of(jobs.begin(), jobs.end(), [&](const Small::Job& job) {
               return job.needs.empty() && small.models()[job.model].width == 1;
           });
}

std::vector<Partial::Added> partition(const Small& small) {
    const Set all = (Set{1} << small.jobs().size()) - 1;
    const auto gpus = static_cast<std::uint32_t>(small.gpus().size());
    std::vector<std::vector<Set>> share(gpus, std::vector<Set>(all + 1));  // of the GPU, where all up to it do a set
    std::vector<Time> done(all + 1, Small::kFar);                          // by the GPUs so far
    done[0] = 0;
    std::vector<Time> own(all + 1);
    for (std::uint32_t g = 0; g < gpus; ++g) {
        if (g == 0 || !alike(small.gpus()[g], small.gpus()[g - 1])) {
            const Orders orders(small, g);
            for (Set set = 0; set <= all; ++set) own[set] = orders.end(set);
        }
        std::vector<Time> with(all + 1, Small::kFar);
        for (Set set = 0; set <= all; ++set)
            for (Set part = set;; part = (part - 1) & set) {
                if (const Time end = std::max(own[part], done[set & ~part]); end < with[set]) {
                    with[set] = end;
                    share[g][set] = part;
                }
                if (part == 0) break;
            }
        done = std::move(with);
    }
    std::vector<Partial::Added> added;
    Set left = all;
    for (std::uint32_t g = gpus; g-- > 0; left &= ~share[g][left]) {
        if (share[g][left] == 0) continue;
        for (const std::uint32_t job : Orders(small, g).order(share[g][left])) added.push_back({job, {g, g + 1, 0}});
    }
    return added;
}

}  // namespace sy::plan
