// A job's end on a place is max(free, ready) + switch + time, so the least score needs no scan where the switch is
// known to be the same for many places: a tournament then finds it. Places that hold the job's model switch in no time;
// they have a tournament for each model. All others share one, whatever they hold. What switching costs them is taken
// apart into the least for the incoming model and a surcharge for the outgoing one, which is part of the place's
// standing. By the document's formula that is exact but for a nanosecond; where a measured matrix says otherwise it is
// a bound, and the true score is computed for those few places that the bound does not rule out.
//
// With preloading the end is max(free + switch, ready) + time: the same with `ready` brought forward by the switch.
//
// Cost: O(log G) for each change and, on all but contrived batches, for each question; memory O(G) for each width, so
// a thousand models cost no more than one. Places that changed are entered again only when somebody asks for their
// width: a single-GPU job behind a rare wide gang costs the gang nothing.
#include "core/plan/place_index.h"

#include <algorithm>
#include <utility>

namespace sy::plan {

namespace {

std::vector<Bytes> part_sizes(const Batch& batch) {
    std::vector<Bytes> sizes;
    for (const ModelSpec& model : batch.models) sizes.push_back(model.memory_per_gpu());
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::size_t fitting(const std::vector<Bytes>& sizes, Bytes memory) {
    return static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), memory) - sizes.begin());
}

/// What it costs to load a model where another is held (0: nothing).
Duration load_time(const Problem& problem, KindId kind, std::uint32_t from, ModelId to) {
    return problem.switch_cost()(kind, from == 0 ? std::nullopt : std::optional(ModelId(from - 1)), to);
}

std::vector<Duration> least_loads(const Problem& problem, KindId kind) {
    const auto models = static_cast<std::uint32_t>(problem.batch().models.size());
    std::vector<Duration> least(models, Duration::max());
    for (std::uint32_t to = 0; to < models; ++to)
        for (std::uint32_t from = 0; from <= models; ++from)
            if (from != to + 1) least[to] = std::min(least[to], load_time(problem, kind, from, ModelId(to)));
    return least;
}

std::vector<Duration> surcharges(const Problem& problem, KindId kind, const std::vector<Duration>& least) {
    const auto models = static_cast<std::uint32_t>(least.size());
    std::vector<Duration> surcharge(models + 1, Duration::max());
    for (std::uint32_t from = 0; from <= models; ++from) {
        for (std::uint32_t to = 0; to < models; ++to)
            if (from != to + 1)
                surcharge[from] = std::min(surcharge[from], load_time(problem, kind, from, ModelId(to)) - least[to]);
        if (surcharge[from] == Duration::max()) surcharge[from] = Duration::zero();
    }
    return surcharge;
}

/// On the slowest of these kinds; negative where one cannot run it.
Duration slowest(const std::vector<KindId>& kinds, const std::vector<Duration>& on_kind) {
    Duration longest{};
    for (const KindId kind : kinds) {
        if (on_kind[kind.value()] < Duration::zero()) return Duration(-1);
        longest = std::max(longest, on_kind[kind.value()]);
    }
    return longest;
}

}  // namespace

PlaceIndex::PlaceIndex(const Problem& problem, const Fleet& fleet, const ScoreWeights& weights)
    : problem_(problem), fleet_(fleet), weights_(weights), sizes_(part_sizes(problem.batch())) {
    const Batch& batch = problem.batch();
    for (std::uint32_t kind = 0; kind < batch.kinds.size(); ++kind) {
        least_.push_back(least_loads(problem, KindId(kind)));
        surcharge_.push_back(surcharges(problem, KindId(kind), least_.back()));
    }
    for (const ModelSpec& model : batch.models) {
        const auto same = [&](const Width& width) { return width.gpus == model.gpus; };
        auto width = std::find_if(widths_.begin(), widths_.end(), same);
        width_of_.push_back(static_cast<std::uint32_t>(width - widths_.begin()));
        room_for_.push_back(fitting(sizes_, model.memory_per_gpu()));
        if (width == widths_.end()) add_width(model.gpus);
    }
}

void PlaceIndex::add_width(GpuCount gpus) {
    Width& width = widths_.emplace_back();
    width.gpus = gpus;
    const auto& all = problem_.batch().gpus;
    std::uint32_t run = 0;  // GPUs of one node up to here
    for (std::uint32_t gpu = 0; gpu < all.size(); ++gpu) {
        run = gpu > 0 && all[gpu].node == all[gpu - 1].node ? run + 1 : 1;
        if (run >= gpus) add_place(width, {GpuId(gpu + 1 - gpus), gpus});
    }
    for (std::uint32_t gpu = 0, next = 0; gpu <= all.size(); ++gpu) {
        while (next < width.places.size() && width.places[next].span.first < GpuId(gpu)) ++next;
        width.by_first.push_back(next);
    }
}

void PlaceIndex::add_place(Width& width, const GpuSpan& span) {
    const Batch& batch = problem_.batch();
    std::vector<KindId> kinds;
    Bytes memory = batch.gpus[span.first.value()].memory;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        kinds.push_back(problem_.kind(gpu));
        memory = std::min(memory, batch.gpus[gpu.value()].memory);
    }
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const std::size_t room = fitting(sizes_, memory);

    const auto same = [&](const Alike& alike) { return alike.room == room && alike.kinds == kinds; };
    auto alike = std::find_if(width.alikes.begin(), width.alikes.end(), same);
    if (alike == width.alikes.end())
        alike = width.alikes.insert(alike, {kinds, room, {}, std::vector<Tournament>(batch.models.size())});
    const auto number = static_cast<std::uint32_t>(width.places.size());
    const std::uint32_t slot = alike->places.add({});
    width.places.push_back(
        {span, static_cast<std::uint32_t>(alike - width.alikes.begin()), slot, std::nullopt, 0, true});
    width.stale.push_back(number);
}

std::optional<GpuSpan> PlaceIndex::best(ModelId model, Instant ready, const std::vector<Duration>& lasts_on_kind) {
    Width& width = widths_[width_of_[model.value()]];
    refresh(width);
    Winner winner;
    const auto for_each_alike = [&](auto visit) {
        for (const Alike& alike : width.alikes) {
            const Duration lasts = slowest(alike.kinds, lasts_on_kind);
            if (alike.room >= room_for_[model.value()] && lasts >= Duration::zero()) visit(alike, lasts);
        }
    };
    const std::int64_t ready_score = weights_.end * (ready - kStart).count();
    for_each_alike([&](const Alike& alike, Duration lasts) {
        alike.holders[model.value()].search(ready_score, weights_.end * lasts.count(), winner,
                                            [](std::uint32_t, std::int64_t bound) { return bound; });
    });
    for_each_alike([&](const Alike& alike, Duration lasts) {
        Duration load = Duration::max();
        for (const KindId kind : alike.kinds) load = std::min(load, least_[kind.value()][model.value()]);
        const std::int64_t early = fleet_.preloads() ? weights_.end * load.count() : 0;
        alike.places.search(ready_score - early, weights_.end * (load + lasts).count(), winner,
                            [&](std::uint32_t place, std::int64_t) {
                                return score(width.places[place].span, {model, ready, lasts});
                            });
    });
    if (winner.id >= width.places.size()) return std::nullopt;
    return width.places[winner.id].span;
}

void PlaceIndex::changed(const GpuSpan& span) {
    for (Width& width : widths_) {
        const std::uint32_t first = span.first.value() - std::min(span.first.value(), width.gpus - 1);
        for (std::uint32_t n = width.by_first[first]; n < width.by_first[span.end().value()]; ++n)
            if (!std::exchange(width.places[n].stale, true)) width.stale.push_back(n);
    }
}

void PlaceIndex::weigh(const ScoreWeights& weights) {
    if (weights == weights_) return;
    weights_ = weights;
    changed({GpuId(0), static_cast<GpuCount>(problem_.batch().gpus.size())});
}

void PlaceIndex::refresh(Width& width) {
    for (const std::uint32_t number : width.stale) enter(width, number);
    width.stale.clear();
}

void PlaceIndex::enter(Width& width, std::uint32_t number) {
    Place& place = width.places[number];
    Alike& alike = width.alikes[place.alike];
    place.stale = false;

    const std::int64_t busy = weights_.busy * mean_busy(place.span);
    const std::int64_t free = weights_.end * (free_at(place.span) - kStart).count() + busy;
    const std::int64_t more = weights_.end * surcharge(place.span).count();
    alike.places.set(place.slot, {free + more, busy + (fleet_.preloads() ? 0 : more), number});

    const auto holds = held_by(place.span);
    if (place.holds == holds) {
        if (holds) alike.holders[holds->value()].set(place.holder_slot, {free, busy, number});
        return;
    }
    if (place.holds) {
        Tournament& left = alike.holders[place.holds->value()];
        left.remove(place.holder_slot);
        if (place.holder_slot < left.size())
            width.places[left.at(place.holder_slot).id].holder_slot = place.holder_slot;
    }
    if (holds) place.holder_slot = alike.holders[holds->value()].add({free, busy, number});
    place.holds = holds;
}

Duration PlaceIndex::surcharge(const GpuSpan& span) const {
    Duration highest{};
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
        const KindId kind = problem_.kind(gpu);
        const auto held = fleet_.held_on(gpu);
        if (span.count > 1 && held && fleet_.holds_part(gpu, span, *held)) continue;  // its own model costs it nothing
        Duration own = surcharge_[kind.value()][held ? held->value() + 1U : 0U];
        // For the model it holds as part of another group the GPU counts as empty.
        if (held && span.count > 1 && problem_.batch().models[held->value()].gpus == span.count)
            own =
                std::min(own, problem_.switch_cost()(kind, std::nullopt, *held) - least_[kind.value()][held->value()]);
        highest = std::max(highest, own);
    }
    return highest;
}

std::int64_t PlaceIndex::score(const GpuSpan& span, const Job& job) const {
    const Instant free = free_at(span);
    Instant start = std::max(free, job.ready);
    if (!fleet_.holds(span, job.model)) {
        const Duration load = fleet_.switch_time(span, job.model);
        start = fleet_.preloads() ? std::max(free + load, start) : start + load;
    }
    return weights_.end * (start + job.lasts - kStart).count() + weights_.busy * mean_busy(span);
}

Instant PlaceIndex::free_at(const GpuSpan& span) const {
    Instant free = kStart;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) free = std::max(free, fleet_.free_at(gpu));
    return free;
}

std::int64_t PlaceIndex::mean_busy(const GpuSpan& span) const {
    if (span.count == 1) return fleet_.busy(span.first).count();
    Duration busy{};
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) busy += fleet_.busy(gpu);
    return busy.count() / span.count;
}

/// The model that this place holds as its group.
std::optional<ModelId> PlaceIndex::held_by(const GpuSpan& span) const {
    const auto held = fleet_.held_on(span.first);
    if (!held || !fleet_.holds(span, *held)) return std::nullopt;
    return problem_.batch().models[held->value()].gpus == span.count ? held : std::nullopt;
}

}  // namespace sy::plan
