// Shelves: which models each GPU keeps loaded (G4). At most so many a GPU and no more bytes than it has; the least
// recently used goes first, pinned ones last, and one that nobody has used for long goes by itself.
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

namespace sy::cluster {

struct ShelfRules {
    std::uint32_t most = 2;  ///< Models a GPU.
    Duration ttl = 1h;
};

/// A model on a GPU.
struct Resident {
    NameId model;
    Bytes memory;
    Instant used;  ///< Last; kNever while a task uses it.

    static constexpr auto fields() { return std::tuple{&Resident::model, &Resident::memory, &Resident::used}; }
    friend bool operator==(const Resident&, const Resident&) = default;
};

class Shelves {
public:
    explicit Shelves(ShelfRules rules = {}) : rules_(rules) {}

    void add_gpus(std::size_t count) { shelves_.resize(shelves_.size() + count); }
    std::span<const Resident> on(GpuId gpu) const { return shelves_[gpu.value()]; }
    bool holds(GpuId gpu, NameId model) const;
    bool is_in_use(GpuId gpu, NameId model) const;
    bool has_room_for_another(GpuId gpu) const { return shelves_[gpu.value()].size() < rules_.most; }
    std::vector<NameId> models_on(GpuId gpu) const;

    /// A task begins that uses the model; what has no place beside it goes. `room`: what the GPU has for all of them,
    /// the task's own memory left out.
    void take(GpuId gpu, NameId model, Bytes memory, Bytes room);
    /// The same for a task that uses none of them.
    void make_room(GpuId gpu, Bytes room);
    /// The task has ended, and left the model loaded.
    void put_back(GpuId gpu, NameId model, Instant now);
    void drop(GpuId gpu, NameId model);
    void clear(GpuId gpu);

    void pin(NameId model, bool pinned);
    const std::set<NameId>& pinned() const { return pinned_; }

    /// Takes away what nobody has used for long; the GPUs where that was.
    std::vector<GpuId> expire(Instant now);
    /// When the next one would go; kNever where none would.
    Instant next_expiry() const;

    /// As bytes have it; false where it could not have come about.
    bool restore(GpuId gpu, std::vector<Resident> residents, Instant now);

private:
    using Shelf = std::vector<Resident>;  ///< The least recently used first.

    void evict_until(GpuId gpu, std::size_t most, Bytes room, NameId except);
    void erase(GpuId gpu, Shelf::iterator resident);
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
