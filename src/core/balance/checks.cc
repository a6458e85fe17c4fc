// Each watched replica has one alarm: its next probe, the end of the patience for the one it owes us, or the next step
// of its slow start, whichever is first. All alarms are in one ordered set, so the next wake-up is read off its front,
// an event costs O(log n), and nobody polls. Only a change of mood (into panic or out of it) looks at everybody.
//
// Probes of one interval would march in step for ever when all replicas were watched at once. So each pause is
// shortened by up to a tenth, by a hash of the replica and the number of the probe: no chance, and yet soon spread.
#include "core/balance/checks.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/check.h"
#include "core/balance/mix.h"

namespace sy::balance {

namespace {

constexpr std::int64_t kSteps = 10;  // of a slow start
constexpr Duration kShortestPause = 1ms;
constexpr Duration kLongestPause = 24h;

Result<void> pause_in_limits(const char* what, Duration pause) {
    if (pause >= kShortestPause && pause <= kLongestPause) return {};
    return fail(Fault::invalid_input, fmt::format("{} of {} s is not between {} s and {} s", what, seconds_text(pause),
                                                  seconds_text(kShortestPause), seconds_text(kLongestPause)));
}

}  // namespace

Result<void> validate(const CheckRules& rules) {
    for (const auto& [what, pause] : {std::pair{"an interval", rules.interval}, std::pair{"a retry", rules.retry},
                                      std::pair{"a timeout", rules.timeout}})
        if (auto limited = pause_in_limits(what, pause); !limited) return limited;
    if (rules.slow_start < 0s || rules.slow_start > kLongestPause)
        return fail(Fault::invalid_input, fmt::format("a slow start of {} s is not between 0 s and {} s",
                                                      seconds_text(rules.slow_start), seconds_text(kLongestPause)));
    if (rules.failures == 0) return fail(Fault::invalid_input, "0 failures would take a replica out for nothing");
    if (rules.successes == 0) return fail(Fault::invalid_input, "0 successes would bring a replica in unseen");
    if (rules.panic > 1'000) return fail(Fault::invalid_input, fmt::format("panic {} is above 1000", rules.panic));
    return {};
}

Checks::Checks(const CheckRules& rules) : rules_(rules) {
    const auto valid = validate(rules);
    SY_CHECK(valid, "{}", valid.error().message);
}

Result<void> Checks::set_rules(const CheckRules& rules) {
    if (auto valid = validate(rules); !valid) return valid;
    rules_ = rules;
    return {};
}

bool Checks::watch(ReplicaId id, Instant now) {
    const auto [place, is_new] = watched_.try_emplace(id);
    if (!is_new) return false;
    place->second.next_probe = now;
    place->second.alarm = now;
    alarms_.emplace(now, id);
    return true;
}

std::vector<Verdict> Checks::forget(ReplicaId id, Instant now) {
    const auto found = watched_.find(id);
    if (found == watched_.end()) return {};
    if (found->second.condition == Condition::in) --in_;
    if (found->second.was_in) --ever_in_;
    alarms_.erase({found->second.alarm, id});
    watched_.erase(found);
    return judge({}, now);
}

Instant Checks::next_wake() const {
    return alarms_.empty() ? kNever : alarms_.begin()->first;
}

Orders Checks::wake(Instant now) {
    Orders orders;
    std::vector<ReplicaId> touched;
    while (next_wake() <= now) {
        const ReplicaId id = alarms_.begin()->second;
        Watched& watched = watched_.at(id);
        if (watched.next_probe <= now) send_or_give_up(id, watched, now, orders.probes);
        set_alarm(id, watched, now);
        touched.push_back(id);
    }
    orders.verdicts = judge(touched, now);
    return orders;
}

void Checks::send_or_give_up(ReplicaId id, Watched& watched, Instant now, std::vector<Probe>& probes) {
    if (watched.answer_due) return probe_ended(id, watched, false, now);
    watched.answer_due = true;
    watched.probe = ++probes_;
    watched.next_probe = later(now, rules_.timeout);
    probes.push_back({id, watched.probe});
}

std::vector<Verdict> Checks::answered(const Probe& probe, bool well, Instant now) {
    const auto found = watched_.find(probe.replica);
    if (found == watched_.end() || !found->second.answer_due || found->second.probe != probe.number) return {};
    probe_ended(probe.replica, found->second, well, now);
    return judge({probe.replica}, now);
}

std::vector<Verdict> Checks::served(ReplicaId id, bool well, Instant now) {
    const auto found = watched_.find(id);
    if (found == watched_.end() || found->second.condition != Condition::in) return {};
    Watched& watched = found->second;
    well ? succeeded(watched, now) : failed(watched);
    if (watched.condition == Condition::out && !watched.answer_due)
        watched.next_probe = std::min(watched.next_probe, later(now, rules_.retry));
    return judge({id}, now);
}

void Checks::probe_ended(ReplicaId id, Watched& watched, bool well, Instant now) {
    watched.answer_due = false;
    well ? succeeded(watched, now) : failed(watched);
    watched.next_probe = later(now, pause(id, watched));
}

void Checks::failed(Watched& watched) {
    if (watched.condition != Condition::in) return move_to(watched, Condition::out);
    if (++watched.in_a_row >= rules_.failures) move_to(watched, Condition::out);
}

void Checks::succeeded(Watched& watched, Instant now) {
    if (watched.condition == Condition::in) {
        watched.in_a_row = 0;
        return;
    }
    if (watched.condition == Condition::out) move_to(watched, Condition::returning);
    if (++watched.in_a_row < rules_.successes) return;
    move_to(watched, Condition::in);
    watched.came_in = now;
    if (!watched.was_in) ++ever_in_;
    watched.was_in = true;
}

void Checks::move_to(Watched& watched, Condition condition) {
    if (watched.condition == Condition::in) --in_;
    if (condition == Condition::in) ++in_;
    watched.condition = condition;
    watched.in_a_row = 0;
}

Duration Checks::pause(ReplicaId id, const Watched& watched) const {
    const Duration full = watched.condition == Condition::in ? rules_.interval : rules_.retry;
    const auto part = static_cast<std::int64_t>(mix(id.value(), watched.probe) % 1'024);
    return full - full / 10 / 1'024 * part;
}

std::uint32_t Checks::slow_share(const Watched& watched, Instant now) const {
    const Duration step = rules_.slow_start / kSteps;
    if (step <= 0ns) return kFullShare;
    const std::int64_t steps = std::clamp<std::int64_t>((now - watched.came_in) / step, 0, kSteps);
    return static_cast<std::uint32_t>(kFullShare / 10 + (kFullShare - kFullShare / 10) * steps / kSteps);
}

Instant Checks::next_step(const Watched& watched, Instant now) const {
    if (watched.condition != Condition::in || slow_share(watched, now) == kFullShare) return kNever;
    const Duration step = rules_.slow_start / kSteps;
    return watched.came_in + step * ((now - watched.came_in) / step + 1);
}

void Checks::set_alarm(ReplicaId id, Watched& watched, Instant now) {
    const Instant when = std::min(watched.next_probe, next_step(watched, now));
    if (when == watched.alarm) return;
    alarms_.erase({watched.alarm, id});
    alarms_.emplace(when, id);
    watched.alarm = when;
}

void Checks::judge_one(ReplicaId id, Watched& watched, Instant now, std::vector<Verdict>& verdicts) {
    std::uint32_t share = panicking_ && watched.was_in ? kFullShare : 0;
    if (watched.condition == Condition::in) share = slow_share(watched, now);
    if (share != watched.told) verdicts.push_back({id, share});
    watched.told = share;
    set_alarm(id, watched, now);
}

std::vector<Verdict> Checks::judge(const std::vector<ReplicaId>& touched, Instant now) {
    std::vector<Verdict> verdicts;
    const bool panicked = std::exchange(panicking_, in_ * 1'000 < ever_in_ * rules_.panic);
    if (panicked != panicking_)
        for (auto& [id, watched] : watched_) judge_one(id, watched, now, verdicts);
    else
        for (const ReplicaId id : touched) judge_one(id, watched_.at(id), now, verdicts);
    return verdicts;
}

std::optional<Condition> Checks::condition(ReplicaId id) const {
    const auto found = watched_.find(id);
    return found == watched_.end() ? std::nullopt : std::optional(found->second.condition);
}

}  // namespace sy::balance
