// Bounds on sums of costs, from one resource at a time (S8, S9).
//
// Let job j hold g_j of a resource of capacity C for p_j, from r_j on at the soonest; let v_j = g_j·p_j. Replace the
// cluster by one machine that does C units of work at a time and may share itself among jobs at will. Whatever the
// cluster does can be done there with the same ends, as at every instant at most C is held: so a bound for the machine
// is one for the cluster, also where the cluster may put jobs aside. The same holds with f(g_j) for g_j: see
// weighing.h.
//
// Whatever goes first, the machine is busy during the same periods and every job lies in one of them. A bound on the
// jobs of each period alone, added up, is a bound on all. Of each period we take the largest of three:
//
// Alone:  a job ends at r_j + p_j at the soonest. Good where little waits.
//
// Ranks:  serving the job with the least left (SRPT; Schrage 1968) has at every instant ended as many jobs as anything
//         can. So the k-th end of any schedule is no earlier than SRPT's k-th, and, by the above, than the k-th
//         smallest of r_j + p_j. The larger of both, E_k, bounds the k-th end. Costs max(0, end − base_j) of ends E_1 ≤
//         E_2 ≤ … sum up to the least when the k-th base is given to the k-th end (exchange two neighbours). Weights:
//         the smallest.
//
// Means:  let M_j be the mean instant at which job j is worked on. In the cluster j runs at one pace for p_j in all, so
//         M_j ≤ end_j − p_j/2, in pieces or not. On the machine Σ w_j·M_j is least where the job of largest w_j/v_j
//         among those there is always served (Goemans 1997: exchange any two bits of work in the wrong order). Hence Σ
//         w_j·end_j ≥ Σ w_j·(M_j + p_j/2) with these M_j. Good where much waits, as it counts half of every length.
//
// Last end: the end of the machine's last busy period, and every r_j + p_j.
//
// Numbers: the machine's clock counts work, so that all of it is whole: an instant t is C·t. Where that does not fit
// 63 bits, releases and volumes are shifted down: both become smaller, and so does the least of every sum above.
// Divisions round down. The cost of a schedule in whole nanoseconds is whole.
#include "core/optimum/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/optimum/keyed.h"
#include "core/optimum/pooled.h"
#include "core/optimum/weighing.h"

namespace sy::optimum {

namespace {

class SumBound {
public:
    SumBound(std::span<const Flow> flows, std::int64_t rate) : rate_(rate), shift_(shift_for(flows, rate)) {
        flows_.reserve(flows.size());
        loads_.reserve(flows.size());
        for (const Flow& flow : flows) {
            const Load load{static_cast<std::int64_t>((Cost{rate} * flow.arrival) >> shift_),
                            static_cast<std::int64_t>((Cost{flow.share} * flow.length) >> shift_)};
            if (load.volume == 0) {
                total_ += alone(flow);
                continue;
            }
            if (load.release >= busy_until_) {
                close_period();
                busy_until_ = load.release;
            }
            busy_until_ += load.volume;
            flows_.push_back(&flow);
            loads_.push_back(load);
        }
        close_period();
    }
    Cost total() const { return total_; }

private:
    /// Room for the sum of two instants, each after all work.
    static int shift_for(std::span<const Flow> flows, std::int64_t rate) {
        constexpr int kBits = 61;
        long double most = 0;
        for (const Flow& flow : flows)
            most += static_cast<long double>(flow.share) * static_cast<long double>(flow.length);
        if (!flows.empty()) most += static_cast<long double>(rate) * static_cast<long double>(flows.back().arrival);
        int bits = 0;
        std::frexp(most, &bits);
        return std::max(0, bits - kBits);
    }

    /// Rounded down, and to what leaves room to add where all work lasts for centuries.
    std::int64_t to_time(std::int64_t work) const {
        if (shift_ == 0) return work / rate_;
        constexpr Cost kMost = std::int64_t{1} << 62;
        return static_cast<std::int64_t>(std::min(kMost, (Cost{work} << shift_) / rate_));
    }

    static Cost alone(const Flow& flow) {
        return Cost{flow.weight} * std::max<std::int64_t>(0, flow.arrival + flow.length - flow.base);
    }

    void close_period() {
        Cost sum = 0;
        for (const Flow* flow : flows_) sum += alone(*flow);
        if (flows_.size() > 1) {
            machine_.rank_by_volume(loads_);
            sum = std::max(sum, by_ranks());
            sum = std::max(sum, by_means());
        }
        total_ += sum;
        flows_.clear();
        loads_.clear();
    }

    Cost by_ranks() {
        std::int64_t weight = flows_.front()->weight;
        ends_.clear();
        bases_.clear();
        for (const Flow* flow : flows_) {
            weight = std::min(weight, flow->weight);
            ends_.push_back({flow->arrival + flow->length, 0});
            bases_.push_back(flow->base);
        }
        if (weight == 0) return 0;
        sort_by_key(ends_, room_);
        if (!std::is_sorted(bases_.begin(), bases_.end())) std::sort(bases_.begin(), bases_.end());
        Cost sum = 0;
        std::size_t k = 0;
        machine_.shortest_rest_first(loads_, [&](std::size_t, std::int64_t at) {
            const std::int64_t end = std::max(to_time(at), ends_[k].key);
            sum += std::max<std::int64_t>(0, end - bases_[k]);
            ++k;
        });
        return sum * weight;
    }

    Cost by_means() {
        if (!has_one_weight()) rank_by_ratio();
        moments_.assign(loads_.size(), 0);
        Cost doubled = 0;
        const auto end_with = [&](std::size_t i, std::int64_t twice_mean) {
            const Flow& flow = *flows_[i];
            doubled += Cost{flow.weight} * (Cost{to_time(twice_mean)} + flow.length - Cost{2} * flow.base);
        };
        machine_.smallest_rank_first(loads_, [&](std::size_t i, std::int64_t from, std::int64_t to) {
            if (to - from == loads_[i].volume) {
                end_with(i, from + to);
            } else {
                moments_[i] += Cost{from + to} * (to - from);
            }
        });
        for (std::size_t i = 0; i < loads_.size(); ++i)
            if (moments_[i] != 0) end_with(i, static_cast<std::int64_t>(moments_[i] / loads_[i].volume));
        return doubled > 0 ? doubled / 2 : Cost{0};
    }

    bool has_one_weight() const {
        const std::int64_t weight = flows_.front()->weight;
        return std::all_of(flows_.begin(), flows_.end(), [&](const Flow* flow) { return flow->weight == weight; });
    }

    /// The larger weight / volume, the smaller the rank. With one weight that is what by volume gives.
    void rank_by_ratio() {
        order_.resize(loads_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            const Cost left = Cost{flows_[a]->weight} * loads_[b].volume;
            const Cost right = Cost{flows_[b]->weight} * loads_[a].volume;
            return left != right ? left > right : a < b;
        });
        keys_.resize(loads_.size());
        for (std::size_t rank = 0; rank < order_.size(); ++rank) keys_[order_[rank]] = static_cast<std::int64_t>(rank);
        machine_.rank(loads_.size(), [&](std::size_t i) { return keys_[i]; });
    }

    std::int64_t rate_;
    int shift_;
    Cost total_ = 0;
    // Of the period in hand.
    std::int64_t busy_until_ = 0;
    std::vector<const Flow*> flows_;
    std::vector<Load> loads_;
    // Room to work in.
    PooledMachine machine_;
    std::vector<Keyed> ends_;
    std::vector<Keyed> room_;
    std::vector<std::int64_t> bases_;
    std::vector<std::int64_t> keys_;
    std::vector<std::size_t> order_;
    std::vector<Cost> moments_;
};

/// The items that fit and count, by arrival.
std::vector<const Item*> items_by_arrival(const Problem& problem) {
    std::vector<const Item*> items;
    for (const Item& item : problem.items) {
        const bool counts = problem.objective != Objective::tardiness || (item.due != kNever && item.weight > 0);
        if (counts && (item.length == 0s || fits(item.demand, problem.capacity))) items.push_back(&item);
    }
    std::stable_sort(items.begin(), items.end(), [](const Item* a, const Item* b) { return a->arrival < b->arrival; });
    return items;
}

/// Shares come later.
std::vector<Flow> flows_of(const Problem& problem, const std::vector<const Item*>& items) {
    std::vector<Flow> flows;
    for (const Item* item : items) {
        Flow flow{.arrival = (item->arrival - problem.origin).count(), .length = item->length.count()};
        flow.base = problem.objective == Objective::tardiness ? (item->due - problem.origin).count() : flow.arrival;
        flow.weight = problem.objective == Objective::mean_completion ? 1 : item->weight;
        flows.push_back(flow);
    }
    return flows;
}

}  // namespace

Cost sum_bound(std::span<const Flow> flows, std::int64_t rate) {
    return SumBound(flows, rate).total();
}

std::int64_t last_end_bound(std::span<const Flow> flows, std::int64_t rate) {
    std::int64_t last = 0;
    Cost busy_until = 0;
    for (const Flow& flow : flows) {
        last = std::max(last, flow.arrival + flow.length);
        busy_until = std::max(busy_until, Cost{rate} * flow.arrival) + Cost{flow.share} * flow.length;
    }
    return std::max(last, static_cast<std::int64_t>((busy_until + rate - 1) / rate));
}

Cost lower_bound(const Problem& problem) {
    const auto items = items_by_arrival(problem);
    std::vector<Flow> flows = flows_of(problem, items);
    const auto bound = [&](std::int64_t rate) {
        return problem.objective == Objective::makespan ? Cost{last_end_bound(flows, rate)} : sum_bound(flows, rate);
    };
    Cost best = bound(1);  // without shares: every job alone
    for (std::size_t r = 0; r < kResources; ++r) {
        const std::int64_t capacity = std::min(problem.capacity[r], kUnlimited);
        Cost all = 0;
        for (const Item* item : items) all += item->length > 0s ? item->demand[r] : 0;
        if (all <= capacity) continue;  // never in short supply
        for (std::int64_t k = 0; k <= kMostWeighing; ++k) {
            for (std::size_t i = 0; i < items.size(); ++i)
                flows[i].share = items[i]->length > 0s ? weighed(items[i]->demand[r], capacity, k) : 0;
            best = std::max(best, bound(weighed_capacity(capacity, k)));
        }
    }
    return best;
}

double mean_completion_bound_s(const Trace& trace, GpuCount cluster_gpus) {
    constexpr Duration kMostLength = 24h * 365 * 50;  // added to any arrival it stays in range; shorter is safe
    std::vector<Flow> flows;
    flows.reserve(trace.jobs.size());
    bool has_wide = false;
    for (const Job& job : trace.jobs) {
        const GpuCount gpus = trace.demand_of(job).gpus;
        if (gpus > cluster_gpus) continue;
        const std::int64_t arrival = (job.submit - trace.jobs.front().submit).count();
        flows.push_back({arrival, std::clamp(job.length, Duration{}, kMostLength).count(), arrival, gpus, 1});
        has_wide = has_wide || gpus > cluster_gpus / 2;
    }
    if (flows.empty()) return 0;
    const auto is_sooner = [](const Flow& a, const Flow& b) { return a.arrival < b.arrival; };
    if (!std::is_sorted(flows.begin(), flows.end(), is_sooner)) std::stable_sort(flows.begin(), flows.end(), is_sooner);
    Cost best = sum_bound(flows, std::max<std::int64_t>(cluster_gpus, 1));
    if (has_wide) {
        for (Flow& flow : flows) flow.share = weighed(flow.share, cluster_gpus, 1);
        best = std::max(best, sum_bound(flows, weighed_capacity(cluster_gpus, 1)));
    }
    constexpr long double kMargin = 1e-12L;
    const long double mean = static_cast<long double>(best) / 1e9L / static_cast<long double>(flows.size());
    return static_cast<double>(mean * (1 - kMargin));
}

}  // namespace sy::optimum
