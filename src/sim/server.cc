#include "sim/server.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "base/codec.h"
#include "base/sabotage.h"

namespace sy::sim {

Server::Server(const Weather& weather, control::Settings settings, Random random, World world)
    : weather_(weather), settings_(std::move(settings)), random_(random), world_(std::move(world)) {}

void Server::start() {
    if (is_up()) return;
    const Journal::Contents contents = journal_.recover();
    world_.watch.forgotten_after(contents.payloads.size());
    core_.emplace(replay(contents, true));
    if (core_->snapshot() != replay(contents, false).snapshot())
        world_.watch.violated("snapshot and tail give another state than the whole journal");
    receive(ServerStarted{});
}

control::Core Server::replay(const Journal::Contents& contents, bool from_snapshot) {
    control::Core core(settings_);
    std::size_t next = 0;
    if (from_snapshot && !contents.snapshot.empty()) {
        auto restored = control::Core::restore(contents.snapshot, settings_);
        SY_CHECK(restored.has_value(), "{}", restored.error().message);
        core = *std::move(restored);
        next = contents.covered;
    }
    for (; next < contents.payloads.size(); ++next) {
        const auto entry = decode<Entry>(contents.payloads[next]);
        SY_CHECK(entry.has_value(), "journal entry {} cannot be read", next + 1);
        core.step(entry->event, entry->at);
    }
    return core;
}

void Server::crash() {
    if (!is_up()) return;
    ++crashes_;
    ++lives_;
    core_.reset();
    outbox_.clear();
    journal_.crash(random_);
    wanted_ = 0;
    syncing_ = false;
    wake_ = kNever;
}

void Server::receive(const Event& event) {
    if (!is_up()) return;
    if (world_.agenda.now() < paused_until_) {
        world_.agenda.enter(paused_until_, [this, event, life = lives_] {
            if (life == lives_) receive(event);
        });
        return;
    }
    step(event);
}

void Server::step(const Event& event) {
    const Instant now = world_.agenda.now();
    ++events_;
    journal_.append(encode(Entry{now, event}));
    for (const Effect& effect : core_->step(event, now)) {
        world_.watch.recorded(journal_.size(), effect);
        outbox_.push_back({journal_.size(), effect});
    }
    if (weather_.snapshot_every > 0 && journal_.size() % weather_.snapshot_every == 0)
        journal_.keep_snapshot(core_->snapshot(), journal_.size());
    if (must_be_durable(event)) wanted_ = journal_.size();
    send_what_is_durable();
    if (is_up() && world_.crash_strikes()) crash();
    begin_sync();
}

void Server::begin_sync() {
    if (!is_up() || syncing_ || wanted_ <= journal_.synced()) return;
    syncing_ = true;
    const Duration lasts = random_.between(Duration(10us), weather_.slowest_sync);
    world_.agenda.enter(world_.agenda.now() + lasts, [this, upto = journal_.size(), life = lives_] {
        if (life != lives_) return;
        syncing_ = false;
        journal_.sync(upto);
        if (world_.crash_strikes()) return crash();
        send_what_is_durable();
        begin_sync();
    });
}

void Server::send_what_is_durable() {
    const std::size_t durable = wanted_ <= journal_.synced() ? journal_.size() : journal_.synced();
    while (is_up() && !outbox_.empty()) {
        const Waiting first = outbox_.front();
        if (first.number > durable && !sabotaged(Bug::effects_before_sync)) return;
        outbox_.pop_front();
        if (const auto* wake = std::get_if<WakeAt>(&first.effect)) {
            wake_at(wake->at);
        } else {
            world_.send(first.effect);
        }
    }
}

void Server::wake_at(Instant at) {
    wake_ = at;
    world_.agenda.enter(at, [this, at, life = lives_] {
        if (life == lives_ && wake_ == at) receive(Tick{});
    });
}

void Server::check_replay() {
    SY_CHECK(is_up(), "a server that is down has no state to compare");
    journal_.sync(journal_.size());
    if (replay(journal_.recover(), false).snapshot() != core_->snapshot())
        world_.watch.violated("the journal gives another state than the one that lived through it");
}

}  // namespace sy::sim
