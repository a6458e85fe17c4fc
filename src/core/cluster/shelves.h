// Shelves: which models each GPU keeps loaded (G4). At most so many a GPU and no more bytes than it has; the least
// recently used goes first, pinned ones last, and one that nobody has used for long goes by itself.
//
// A gang's model lies on all its GPUs as one: it comes and goes on all of them together, and the process that holds it
// is with the first one's worker.
//
// This is what the brain wants to be loaded. Workers follow it at every start; a worker that lost a model loads it
// anew when it is next asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "core/model/gpu.h"

namespace sy::cluster {

struct ShelfRules {
    std::uint32_t most = 2;  ///< Models a GPU.
    Duration ttl = 1h;
};

/// A model on a GPU.
struct Resident {
    NameId model;
    Bytes memory;   ///< On this GPU.
    Instant used;   ///< Last; kNever while a task uses it.
    GpuSpan group;  ///< All the GPUs it lies on.

    static constexpr auto fields() {
        return std::tuple{&Resident::model, &Resident::memory, &Resident::used, &Resident::group};
    }
    friend bool operator==(const Resident&, const Resident&) = default;
};

/// A model that had to go, and from where.
struct Gone {
    NameId model;
    GpuSpan group;

    friend bool operator==(const Gone&, const Gone&) = default;
};

class Shelves {
public:
    explicit Shelves(ShelfRules rules = {}) : rules_(rules) {}

    void add_gpus(std::size_t count) { shelves_.resize(shelves_.size() + count); }
    std::span<const Resident> on(GpuId gpu) const { return shelves_[gpu.value()]; }
    /// Alone or as part of a gang.
    bool holds(GpuId gpu, NameId model) const;
    /// As that gang.
    bool holds(const GpuSpan& group, NameId model) const;
    bool is_in_use(GpuId gpu, NameId model) const;
    bool has_room_for_another(GpuId gpu) const { return shelves_[gpu.value()].size() < rules_.most; }
    std::vector<NameId> models_on(GpuId gpu) const;
    std::uint32_t most_a_gpu() const { return rules_.most; }
    /// What its worker holds: on this GPU alone, or as a gang of which it is the first.
    std::vector<HeldModel> led_by(GpuId gpu) const;

    /// A task begins that uses the model; what has no place beside it goes. `memory`: of the model on each GPU;
    /// `room_on`: what a GPU has for all of them, the task's own memory left out.
    template <class RoomOn>
    std::vector<Gone> take(const GpuSpan& span, NameId model, Bytes memory, RoomOn room_on) {
        std::vector<Gone> gone = lift(span, model);
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            put_down(gpu, {model, memory, kNever, span}, room_on(gpu), gone);
        return gone;
    }
    /// To be loaded on a GPU that is at work, where that costs nobody else's model but idle ones of its own. Nothing
    /// is done where there is no such room, or it lies there already.
    std::optional<std::vector<Gone>> take_beside(GpuId gpu, NameId model, Bytes memory, Bytes room, Instant now);
    /// The same for a task that uses none of them.
    std::vector<Gone> make_room(GpuId gpu, Bytes room);
    /// The task has ended, and left the model loaded.
    void put_back(const GpuSpan& group, NameId model, Instant now);
    /// Where it lies on this GPU, from all of its group.
    std::optional<Gone> drop(GpuId gpu, NameId model);
    std::vector<Gone> clear(GpuId gpu);

    void pin(NameId model, bool pinned);
    const std::set<NameId>& pinned() const { return pinned_; }

    /// Takes away what nobody has used for long.
    std::vector<Gone> expire(Instant now);
    /// When the next one would go; kNever where none would.
    Instant next_expiry() const;

    /// As bytes have it, one list a GPU; false where it could not have come about.
    bool restore(std::vector<std::vector<Resident>> shelves, Instant now);

private:
    using Shelf = std::vector<Resident>;  ///< The least recently used first.

    /// Takes the model off these GPUs; where it lay as another group, that has gone.
    std::vector<Gone> lift(const GpuSpan& span, NameId model);
    void put_down(GpuId gpu, const Resident& resident, Bytes room, std::vector<Gone>& gone);
    void evict_until(GpuId gpu, std::size_t most, Bytes room, std::vector<Gone>& gone);
    bool can_go(const Resident& resident) const {
        return resident.used != kNever && resident.group.count == 1 && !pinned_.contains(resident.model);
    }
    /// From all of its group.
    Gone erase(const Resident& resident);
    bool expires(const Resident& resident) const {
        return resident.used != kNever && !pinned_.contains(resident.model);
    }
    Instant expiry(const Resident& resident) const { return later(resident.used, rules_.ttl); }

    ShelfRules rules_;
    std::vector<Shelf> shelves_;
    std::set<NameId> pinned_;
    std::set<std::tuple<Instant, GpuId, NameId>> expiring_;
};

}  // namespace sy::cluster
