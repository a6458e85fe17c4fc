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

bool Shelves::holds(const GpuSpan& group, NameId model) const {
    const Shelf& shelf = shelves_[group.lead().value()];
    const auto found = find_in(shelf, model);
    return found != shelf.end() && found->group == group;
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

std::vector<HeldModel> Shelves::led_by(GpuId gpu) const {
    std::vector<HeldModel> models;
    for (const Resident& resident : shelves_[gpu.value()])
        if (resident.group.lead() == gpu) models.push_back({resident.model, resident.group.count});
    return models;
}

std::vector<Gone> Shelves::lift(const GpuSpan& span, NameId model) {
    std::vector<Gone> gone;
    for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
        if (const auto lifted = drop(gpu, model); lifted && lifted->group != span) gone.push_back(*lifted);
    return gone;
}

void Shelves::put_down(GpuId gpu, const Resident& resident, Bytes room, std::vector<Gone>& gone) {
    const Bytes left(room.value() - std::min(room, resident.memory).value());
    evict_until(gpu, rules_.most > 0 ? rules_.most - 1 : 0, left, gone);
    shelves_[gpu.value()].push_back(resident);
}

std::optional<std::vector<Gone>> Shelves::take_beside(GpuId gpu, NameId model, Bytes memory, Bytes room, Instant now) {
    const Shelf& shelf = shelves_[gpu.value()];
    if (holds(gpu, model)) return std::nullopt;
    Shelf staying;
    for (const Resident& resident : shelf)
        if (!can_go(resident)) staying.push_back(resident);
    if (staying.size() >= rules_.most || total(staying) + memory > room) return std::nullopt;
    std::vector<Gone> gone;
    while (shelf.size() >= rules_.most || total(shelf) + memory > room)
        gone.push_back(
            erase(*std::find_if(shelf.begin(), shelf.end(), [this](const Resident& r) { return can_go(r); })));
    const GpuSpan group{gpu, 1};
    shelves_[gpu.value()].push_back({model, memory, kNever, group});
    put_back(group, model, now);
    return gone;
}

std::vector<Gone> Shelves::make_room(GpuId gpu, Bytes room) {
    std::vector<Gone> gone;
    evict_until(gpu, rules_.most, room, gone);
    return gone;
}

void Shelves::put_back(const GpuSpan& group, NameId model, Instant now) {
    if (!holds(group, model)) return;
    if (rules_.most == 0) {
        drop(group.lead(), model);
        return;
    }
    for (GpuId gpu = group.first; gpu < group.end(); gpu = gpu.next()) {
        const auto found = find_in(shelves_[gpu.value()], model);
        if (expires(*found)) expiring_.erase({expiry(*found), gpu, model});
        found->used = now;
        if (expires(*found)) expiring_.insert({expiry(*found), gpu, model});
    }
}

std::optional<Gone> Shelves::drop(GpuId gpu, NameId model) {
    const Shelf& shelf = shelves_[gpu.value()];
    const auto found = find_in(shelf, model);
    return found == shelf.end() ? std::nullopt : std::optional(erase(*found));
}

std::vector<Gone> Shelves::clear(GpuId gpu) {
    std::vector<Gone> gone;
    while (!shelves_[gpu.value()].empty()) gone.push_back(erase(shelves_[gpu.value()].front()));
    return gone;
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
void Shelves::evict_until(GpuId gpu, std::size_t most, Bytes room, std::vector<Gone>& gone) {
    const Shelf& shelf = shelves_[gpu.value()];
    for (const bool pinned_too : {false, true})
        for (std::size_t at = 0; at < shelf.size() && (shelf.size() > most || total(shelf) > room);) {
            if (pinned_.contains(shelf[at].model) && !pinned_too) {
                ++at;
            } else {
                gone.push_back(erase(shelf[at]));
            }
        }
}

Gone Shelves::erase(const Resident& resident) {
    const Gone gone{resident.model, resident.group};
    for (GpuId gpu = gone.group.first; gpu < gone.group.end(); gpu = gpu.next()) {
        Shelf& shelf = shelves_[gpu.value()];
        const auto part = find_in(shelf, gone.model);
        if (part == shelf.end() || part->group != gone.group) continue;  // not put down there yet
        if (expires(*part)) expiring_.erase({expiry(*part), gpu, gone.model});
        shelf.erase(part);
    }
    return gone;
}

std::vector<Gone> Shelves::expire(Instant now) {
    std::vector<Gone> gone;
    while (!expiring_.empty() && std::get<Instant>(*expiring_.begin()) <= now) {
        const auto [at, gpu, model] = *expiring_.begin();
        gone.push_back(*drop(gpu, model));
    }
    return gone;
}

Instant Shelves::next_expiry() const {
    return expiring_.empty() ? kNever : std::get<Instant>(*expiring_.begin());
}

bool Shelves::restore(std::vector<std::vector<Resident>> shelves, Instant now) {
    const auto knows = [&](const Resident& resident, GpuId gpu) {
        const GpuSpan& group = resident.group;
        if (group.count == 0 || group.count > shelves.size() || group.first.value() > shelves.size() - group.count)
            return false;
        const auto lies_on = [&](GpuId other) {
            const Shelf& shelf = shelves[other.value()];
            return std::count(shelf.begin(), shelf.end(), resident) == 1;
        };
        for (GpuId other = group.first; other < group.end(); other = other.next())
            if (!lies_on(other)) return false;
        return group.contains(gpu);
    };
    if (shelves.size() != shelves_.size()) return false;
    for (std::uint32_t gpu = 0; gpu < shelves.size(); ++gpu) {
        std::set<NameId> seen;
        for (const Resident& resident : shelves[gpu]) {
            const bool sound = resident.used == kNever || (resident.used >= kStart && resident.used <= now);
            if (!sound || resident.model == NameId{} || !seen.insert(resident.model).second) return false;
            if (!knows(resident, GpuId(gpu))) return false;
            if (expires(resident)) expiring_.insert({expiry(resident), GpuId(gpu), resident.model});
        }
    }
    shelves_ = std::move(shelves);
    return true;
}

}  // namespace sy::cluster
