// What is looked after every few seconds, of hosts that are here and of those that are away.
#include <algorithm>

#include "service/loop/loop.h"
#include "service/server/host_line.h"

namespace sy::server {

namespace {

/// For hosts to find a server that has just begun.
constexpr Duration kToComeBack = 5s;

template <class Is>
bool any_of(const GpuSpan& gpus, Is is) {
    for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
        if (is(gpu)) return true;
    return false;
}

}  // namespace

void Hosts::look_who_may_still() {
    looked_ = loop::Loop::now();
    for (auto& [first, host] : hosts_) {
        if (!host.line) continue;
        if (!world_.may_still(host.line->request)) {
            close_later(host.line, "its token opens nothing more");
        } else if (looked_ - host.heard > world_.timing.heartbeat_timeout) {
            close_later(host.line, "it is silent");  // its machine lost its power, or the way there is gone
        }
    }
}

/// The store of a server that was killed may say otherwise, and so may an operator who resumes what is not here.
void Hosts::look_who_is_away() {
    if (looked_ - opened_ < kToComeBack) return;
    const auto& ledger = world_.engine.core().ledger();
    const auto gets_work = [&](GpuId gpu) { return ledger.condition(gpu).duty == GpuDuty::in_service; };
    for (const auto& [first, host] : hosts_)
        if (!host.line && any_of(host.gpus, gets_work)) world_.engine.tell_line(first, GpuDuty::cut_off);
}

/// A kind that was told while tasks ran there was not heeded.
void Hosts::look_who_is_of_another_kind() {
    const auto& ledger = world_.engine.core().ledger();
    const auto runs_something = [&](GpuId gpu) { return ledger.holder(gpu).has_value(); };
    for (const auto& [first, host] : hosts_)
        if (host.line && !any_of(host.gpus, runs_something)) world_.engine.tell_kind(first, kind_of(host.cards));
}

bool Hosts::is_kept_by_an_operator(const Host& host) const {
    const auto& ledger = world_.engine.core().ledger();
    return any_of(host.gpus, [&](GpuId gpu) {
        const GpuDuty duty = ledger.condition(gpu).duty;
        return duty == GpuDuty::draining || duty == GpuDuty::reserved;
    });
}

/// One that an operator drained is kept: that it takes no work is to hold when it comes back.
void Hosts::look_who_stays_away() {
    if (!world_.patience) return;
    for (const auto& [first, host] : hosts_) {
        if (host.line || going_.contains(host.name) || is_kept_by_an_operator(host) ||
            looked_ - std::max(host.heard, opened_) < *world_.patience)
            continue;
        going_.insert(host.name);
        world_.engine.forget_host(host.name, [this, name = host.name](const Result<void>& done) {
            going_.erase(name);
            if (done) drop(name);
        });
    }
}

}  // namespace sy::server
