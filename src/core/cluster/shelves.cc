#include "core/cluster/shelves.h"

#include <algorithm>

namespace sy::cluster {

namespace {

template <class Shelf>
auto find_in(Shelf& shelf, NameId model) {
    return std::find_if(shelf.begin(), shelf.end(), [&](const Resident& r) { return r.model == model; });
}

Bytes total(std::span<const Resident> residents) {
    Bytes sum;
    for (const Resident& resident : residents) sum = sum + resident.memory;
    return sum;
}

}  // namespace

bool Shelves::holds(GpuId gpu, NameId model) const {
    const Shelf& shelf = shelves_[gpu.value()];
    return find_in(shelf, model) != shelf.end();
}

bool Shelves::is_in_use(GpuId gpu, NameId model) const {
    const Shelf& shelf = shelves_[gpu.value()];
    const auto found = find_in(shelf, model);
    return found != shelf.end() && found->used == kNever;
}

std::vector<NameId> Shelves::models_on(GpuId gpu) const {
    std::vector<NameId> models;
    for (const Resident& resident : shelves_[gpu.value()]) models.push_back(resident.model);
    return models;
}

void Shelves::take(GpuId gpu, NameId model, Bytes memory, Bytes room) {
    Shelf& shelf = shelves_[gpu.value()];
    if (const auto found = find_in(shelf, model); found != shelf.end()) erase(gpu, found);
    const Bytes left(room.value() - std::min(room, memory).value());
    evict_until(gpu, rules_.most > 0 ? rules_.most - 1 : 0, left, model);
    shelf.push_back({model, memory, kNever});
}

void Shelves::make_room(GpuId gpu, Bytes room) {
    evict_until(gpu, rules_.most, room, NameId{});
}

void Shelves::put_back(GpuId gpu, NameId model, Instant now) {
    Shelf& shelf = shelves_[gpu.value()];
    const auto found = find_in(shelf, model);
    if (found == shelf.end()) return;
    if (rules_.most == 0) return erase(gpu, found);
    if (expires(*found)) expiring_.erase({expiry(*found), gpu, model});
    found->used = now;
    if (expires(*found)) expiring_.insert({expiry(*found), gpu, model});
}

void Shelves::drop(GpuId gpu, NameId model) {
    Shelf& shelf = shelves_[gpu.value()];
    if (const auto found = find_in(shelf, model); found != shelf.end()) erase(gpu, found);
}

void Shelves::clear(GpuId gpu) {
    Shelf& shelf = shelves_[gpu.value()];
    while (!shelf.empty()) erase(gpu, shelf.begin());
}

void Shelves::pin(NameId model, bool pinned) {
    pinned ? static_cast<void>(pinned_.insert(model)) : static_cast<void>(pinned_.erase(model));
    for (std::uint32_t gpu = 0; gpu < shelves_.size(); ++gpu)
        for (const Resident& resident : shelves_[gpu]) {
            if (resident.model != model || resident.used == kNever) continue;
            const std::tuple entry{expiry(resident), GpuId(gpu), model};
            pinned ? static_cast<void>(expiring_.erase(entry)) : static_cast<void>(expiring_.insert(entry));
        }
}

/// The least recently used first; pinned ones only when no other is left.
void Shelves::evict_until(GpuId gpu, std::size_t most, Bytes room, NameId except) {
    Shelf& shelf = shelves_[gpu.value()];
    for (const bool pinned_too : {false, true})
        for (auto it = shelf.begin(); it != shelf.end() && (shelf.size() > most || total(shelf) > room);) {
            if (it->model == except || (pinned_.contains(it->model) && !pinned_too)) {
                ++it;
            } else {
                const auto at = it - shelf.begin();
                erase(gpu, it);
                it = shelf.begin() + at;
            }
        }
}

void Shelves::erase(GpuId gpu, Shelf::iterator resident) {
    if (expires(*resident)) expiring_.erase({expiry(*resident), gpu, resident->model});
    shelves_[gpu.value()].erase(resident);
}

std::vector<GpuId> Shelves::expire(Instant now) {
    std::vector<GpuId> changed;
    while (!expiring_.empty() && std::get<Instant>(*expiring_.begin()) <= now) {
        const auto [at, gpu, model] = *expiring_.begin();
        drop(gpu, model);
        if (changed.empty() || changed.back() != gpu) changed.push_back(gpu);
    }
    return changed;
}

Instant Shelves::next_expiry() const {
    return expiring_.empty() ? kNever : std::get<Instant>(*expiring_.begin());
}

bool Shelves::restore(GpuId gpu, std::vector<Resident> residents, Instant now) {
    std::set<NameId> seen;
    for (const Resident& resident : residents) {
        const bool sound = resident.used == kNever || (resident.used >= kStart && resident.used <= now);
        if (!sound || resident.model == NameId{} || !seen.insert(resident.model).second) return false;
        if (expires(resident)) expiring_.insert({expiry(resident), gpu, resident.model});
    }
    shelves_[gpu.value()] = std::move(residents);
    return true;
}

}  // namespace sy::cluster
