// The bounds of lower_bound.cc once more, for what is left beside jobs that run already.
//
// What is free of a resource is then not constant: it rises at each end of what runs. On a clock that counts the work
// that could be done with what is free, the pooled machine is as before, and so are its two orders: SRPT has ended the
// most jobs at each instant, and largest weight/volume first makes Σ w·M least. Releases are the first instants with
// room, which are no later than any start.
//
// Ranks: the k-th end E_k as before, at whole nanoseconds, over all views. Sums: bases go to ends in order, times the
// smallest weight; for Σ w·end without a due date the largest weight goes to the first end, which is never less.
// Deadlines: the k-th smallest must not lie before E_k.
//
// Means: a job's mean instant needs ∫ t over the work done for it. As what is free only rises, time as a function of
// work is concave, so over a stretch of work its mean is at least that of both ends. Only those values are computed,
// rounded down.
#include "core/optimum/rest.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "core/optimum/weighing.h"

namespace sy::optimum {

RestBound::RestBound(const Small& small) : small_(small), soonest_(small.pieces.size()) {
    for (const Small::Piece& piece : small.pieces) horizon_ = std::max(horizon_, piece.arrival);
    for (const Small::Piece& piece : small.pieces) horizon_ += piece.length;
    for (std::size_t r = 0; r < kResources; ++r) add_views(r);
}

void RestBound::add_views(std::size_t resource) {
    Cost all = 0;
    std::int64_t common = 0;  // a resource in bytes is counted in larger units where all ask for whole ones
    for (const Small::Piece& piece : small_.pieces) {
        all += piece.demand[resource];
        common = std::gcd(common, piece.demand[resource]);
    }
    if (all <= small_.capacity[resource] || !small_.is_possible) return;
    const std::int64_t capacity = small_.capacity[resource] / common;
    for (std::int64_t k = 0; k <= kMostWeighing; ++k) {
        View view{weighed_capacity(capacity, k), {}};
        bool tells_more = k == 0;
        for (const Small::Piece& piece : small_.pieces) {
            const std::int64_t demand = piece.demand[resource] / common;
            view.shares.push_back(weighed(demand, capacity, k));
            tells_more = tells_more || view.shares.back() > k * demand;
        }
        constexpr Cost kMost = std::int64_t{1} << 61;  // beyond, the clock would overflow, and we do without
        if (tells_more && Cost{view.rate} * horizon_ <= kMost) views_.push_back(std::move(view));
    }
}

std::optional<Cost> RestBound::bound(const Partial& partial) {
    look_at_rest(partial);
    Cost alone = 0;
    for (const std::size_t i : rest_) {
        const Small::Piece& piece = small_.pieces[i];
        const Time end = soonest_[i] + piece.length;
        if (end > piece.deadline) return std::nullopt;
        alone = together(small_.objective, alone, small_.cost_of_end(piece, end));
    }
    Cost best = alone;
    for (const View& view : views_) {
        read_clock(partial, view);
        load_machine(view);
        raise_ends_by_ranks();
        if (small_.objective != Objective::makespan) best = std::max(best, by_means());
    }
    if (!deadlines_can_be_kept()) return std::nullopt;
    return together(small_.objective, partial.cost, std::max(best, by_ranks()));
}

void RestBound::look_at_rest(const Partial& partial) {
    rest_.clear();
    ends_.clear();
    for (std::size_t i = 0; i < small_.pieces.size(); ++i) {
        if (partial.has(i)) continue;
        rest_.push_back(i);
        soonest_[i] = partial.first_room(small_, small_.pieces[i]);
        ends_.push_back(soonest_[i] + small_.pieces[i].length);
    }
    std::sort(rest_.begin(), rest_.end(), [&](std::size_t a, std::size_t b) {
        return soonest_[a] != soonest_[b] ? soonest_[a] < soonest_[b] : a < b;
    });
    std::sort(ends_.begin(), ends_.end());
}

void RestBound::read_clock(const Partial& partial, const View& view) {
    std::int64_t free = view.rate;
    for (const Partial::Running& running : partial.running) free -= view.shares[running.piece];
    clock_.assign(1, {partial.now, 0, free});
    for (const Partial::Running& running : partial.running) {
        const Stretch& last = clock_.back();
        free += view.shares[running.piece];
        clock_.push_back({running.end, last.work + last.rate * (running.end - last.from), free});
    }
}

std::int64_t RestBound::work_at(Time at) const {
    auto stretch = clock_.end() - 1;
    while (stretch->from > at) --stretch;
    return stretch->work + stretch->rate * (at - stretch->from);
}

/// The first whole instant by which so much can be done.
RestBound::Time RestBound::time_of(std::int64_t work) const {
    auto stretch = clock_.end() - 1;
    while (stretch != clock_.begin() && stretch->work >= work) --stretch;
    if (work <= stretch->work) return stretch->from;
    return stretch->from + (work - stretch->work + stretch->rate - 1) / stretch->rate;
}

void RestBound::load_machine(const View& view) {
    loads_.clear();
    loaded_.clear();
    unloaded_cost_ = 0;
    for (const std::size_t i : rest_) {
        const std::int64_t volume = view.shares[i] * small_.pieces[i].length;
        if (volume == 0) {
            unloaded_cost_ += small_.cost_of_end(small_.pieces[i], soonest_[i] + small_.pieces[i].length);
            continue;
        }
        loads_.push_back({work_at(soonest_[i]), volume});
        loaded_.push_back(i);
    }
}

void RestBound::raise_ends_by_ranks() {
    std::size_t k = ends_.size() - loads_.size();  // those without a load may all come before the first that has one
    machine_.rank_by_volume(loads_);
    machine_.shortest_rest_first(loads_, [&](std::size_t, std::int64_t at) {
        ends_[k] = std::max(ends_[k], time_of(at));
        ++k;
    });
}

bool RestBound::deadlines_can_be_kept() const {
    std::vector<Time> deadlines;
    for (const std::size_t i : rest_) deadlines.push_back(small_.pieces[i].deadline);
    std::sort(deadlines.begin(), deadlines.end());
    return std::equal(ends_.begin(), ends_.end(), deadlines.begin(), std::less_equal<>{});
}

Cost RestBound::by_ranks() const {
    if (rest_.empty()) return 0;
    if (small_.objective == Objective::makespan) return ends_.back();
    std::vector<Time> bases;
    std::vector<std::int64_t> weights;
    Cost based = 0;
    for (const std::size_t i : rest_) {
        const Small::Piece& piece = small_.pieces[i];
        bases.push_back(piece.weight == 0 ? std::numeric_limits<Time>::max() : piece.base);
        if (piece.weight > 0) weights.push_back(piece.weight);
        based += Cost{piece.weight} * piece.base;
    }
    std::sort(weights.begin(), weights.end(), std::greater<>{});
    Cost sum = 0;
    if (small_.objective == Objective::tardiness) {
        std::sort(bases.begin(), bases.end());
        for (std::size_t k = 0; k < ends_.size(); ++k)
            sum += bases[k] < ends_[k] ? weights.back() * Cost{ends_[k] - bases[k]} : Cost{0};
        return sum;
    }
    for (std::size_t k = 0; k < weights.size(); ++k) sum += Cost{weights[k]} * ends_[k];
    return sum - based;
}

/// The larger weight / volume, the smaller the key.
void RestBound::rank_by_ratio() {
    std::vector<std::size_t> order(loads_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto weight = [&](std::size_t load) { return small_.pieces[loaded_[load]].weight; };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const Cost left = Cost{weight(a)} * loads_[b].volume;
        const Cost right = Cost{weight(b)} * loads_[a].volume;
        return left != right ? left > right : a < b;
    });
    keys_.resize(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank) keys_[order[rank]] = static_cast<std::int64_t>(rank);
    machine_.rank(loads_.size(), [&](std::size_t i) { return keys_[i]; });
}

Cost RestBound::by_means() {
    rank_by_ratio();
    moments_.assign(loads_.size(), 0);
    machine_.smallest_rank_first(loads_, [&](std::size_t i, std::int64_t from, std::int64_t to) {
        const Time both = std::max<Time>(0, time_of(from) + time_of(to) - 2);  // each was rounded up by less than one
        moments_[i] += Cost{both} * (to - from);
    });
    Cost doubled = 2 * unloaded_cost_;
    for (std::size_t i = 0; i < loads_.size(); ++i) {
        const Small::Piece& piece = small_.pieces[loaded_[i]];
        doubled += Cost{piece.weight} * (moments_[i] / loads_[i].volume + piece.length - Cost{2} * piece.base);
    }
    return doubled > 0 ? (doubled + 1) / 2 : Cost{0};
}

}  // namespace sy::optimum
