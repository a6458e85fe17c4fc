#include "sim/machine.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sy::sim {

namespace {
constexpr std::int64_t kMillion = 1'000'000;

/// d · numerator / denominator, to the nanosecond and without overflow.
Duration scaled(Duration d, std::int64_t numerator, std::int64_t denominator) {
    return d / denominator * numerator + d % denominator * numerator / denominator;
}

bool contains(const std::vector<HeldModel>& models, NameId model, const GpuSpan& span) {
    return std::find(models.begin(), models.end(), HeldModel{model, span.count}) != models.end();
}
}  // namespace

Machine::Machine(GpuId gpu, Timing timing, std::int64_t drift_ppm, World world)
    : gpu_(gpu), timing_(timing), drift_ppm_(drift_ppm), world_(std::move(world)) {}

void Machine::start(std::uint64_t incarnation) {
    if (is_up()) return;
    ++boots_;
    wake_ = kNever;
    agent_.emplace(gpu_, incarnation, timing_);
    step(Tick{});
}

void Machine::crash() {
    if (!is_up()) return;
    ++boots_;
    agent_.reset();
    if (process_) world_.ended(process_->launch, false);
    process_.reset();
    keep_only({});
    unloading_.clear();
}

void Machine::receive(const ToWorker& message) {
    if (!is_up()) return;
    std::visit([this](const auto& m) { step(m); }, message);
}

void Machine::step(const agent::Event& event) {
    const auto effects = agent_->step(event, to_local(world_.agenda.now()));
    for (const agent::Effect& effect : std::vector(effects.begin(), effects.end())) carry_out(effect);
    if (agent_->is_asked_to_unload() && unloading_.empty()) step(agent::Settled{});
}

void Machine::carry_out(const agent::Effect& effect) {
    const Instant now = world_.agenda.now();
    if (const auto* hello = std::get_if<Hello>(&effect)) {
        keep_only({});
        world_.send(*hello);
    }
    if (const auto* keep = std::get_if<KeepModels>(&effect)) unload_others(keep->models);
    if (const auto* unloaded = std::get_if<Unloaded>(&effect)) world_.send(*unloaded);
    if (const auto* beat = std::get_if<Heartbeat>(&effect)) world_.send(*beat);
    if (const auto* report = std::get_if<Report>(&effect)) world_.send(*report);
    if (const auto* start = std::get_if<agent::Launch>(&effect)) launch(*start);
    if (const auto* wake = std::get_if<agent::WakeAt>(&effect)) wake_at(wake->at);
    if (std::holds_alternative<agent::Interrupt>(effect) && process_) end_by(later(now, process_->fate.saves), false);
    if (std::holds_alternative<agent::Terminate>(effect) && process_)
        end_by(later(now, process_->fate.ends_when_asked), false);
    if (std::holds_alternative<agent::Kill>(effect) && process_)
        end_by(later(now, process_->fate.ends_when_killed), false);
}

void Machine::launch(const agent::Launch& launch) {
    const Fate fate = world_.fate(launch.task, launch.attempt);
    for (const auto& [model, gone] : std::exchange(unloading_, {}))  // what goes cannot be held back
        if (models_.contains(model)) unload(model);
    keep_only(launch.keep);
    if (launch.model != NameId{}) load(launch.model, launch.span, fate.unloads);
    process_ = Process{launch, fate, world_.agenda.now(), kNever};
    world_.started(launch);
    if (launch.beside != NameId{}) load(launch.beside, launch.span, fate.unloads);
    end_by(later(world_.agenda.now(), fate.lasts), fate.succeeds);
}

void Machine::load(NameId model, const GpuSpan& span, Duration unloads) {
    if (const auto known = models_.find(model); known != models_.end()) {
        if (known->second.span == span) return;
        unload(model);
    }
    models_[model] = {span, unloads};
    world_.model(span, model, true);
}

void Machine::unload(NameId model) {
    world_.model(models_.at(model).span, model, false);
    models_.erase(model);
}

/// At once: a worker unloads before it starts anything.
void Machine::keep_only(const std::vector<HeldModel>& models) {
    for (auto at = models_.begin(); at != models_.end();) {
        const auto& [model, loaded] = *at++;
        if (!contains(models, model, loaded.span)) unload(model);
    }
}

/// Each in its time. The server hears of it when all have gone that had to.
void Machine::unload_others(const std::vector<HeldModel>& models) {
    for (const auto& [model, loaded] : models_) {
        const bool in_use = process_ && process_->launch.model == model;
        if (in_use || contains(models, model, loaded.span)) continue;
        const Instant gone = later(world_.agenda.now(), loaded.unloads);
        if (!unloading_.try_emplace(model, gone).second) continue;
        world_.agenda.enter(gone, [this, boot = boots_] {
            if (boot == boots_) settle();
        });
    }
}

void Machine::settle() {
    for (auto at = unloading_.begin(); at != unloading_.end();) {
        const auto [model, gone] = *at;
        if (gone > world_.agenda.now()) {
            ++at;
            continue;
        }
        if (models_.contains(model)) unload(model);
        at = unloading_.erase(at);
    }
    step(Tick{});
}

/// The process ends then, unless something ends it earlier.
void Machine::end_by(Instant when, bool success) {
    if (when >= process_->ends) return;
    process_->ends = when;
    const Fence fence = process_->launch.fence;
    world_.agenda.enter(when, [this, when, success, fence, boot = boots_] {
        if (boot != boots_ || !process_ || process_->launch.fence != fence || process_->ends != when) return;
        const Duration ran = when - process_->began;
        world_.ended(process_->launch, success);
        process_.reset();
        step(agent::ProcessEnded{.fence = fence, .success = success, .model_held = true, .ran = ran});
    });
}

void Machine::wake_at(Instant local) {
    if (local == kNever) {
        wake_ = kNever;
        return;
    }
    const Instant when = std::max(to_global(local), world_.agenda.now() + 1ns);
    if (when == wake_) return;
    wake_ = when;
    world_.agenda.enter(when, [this, when, boot = boots_] {
        if (boot != boots_ || wake_ != when) return;
        wake_ = kNever;
        step(Tick{});
    });
}

Instant Machine::to_local(Instant t) const {
    return kStart + scaled(t - kStart, kMillion + drift_ppm_, kMillion);
}

Instant Machine::to_global(Instant local) const {
    return kStart + scaled(local - kStart, kMillion, kMillion + drift_ppm_) + 2ns;  // never before it is due
}

}  // namespace sy::sim
