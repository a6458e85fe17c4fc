// Checks: which replicas are well, from probes and from how real requests end (S7). A pure state machine.
//
// It says when to wake it, which probes to send then, and whenever the share of a replica changes. It sends nothing and
// asks no clock. A replica is `returning` when it is new or its probes have begun to succeed again; it gets no requests
// until enough succeeded in a row (half open: probes go through, requests do not). It is `in` until enough probes or
// real requests failed in a row, and then `out`.
//
// Who acts on it: core/balance/balancer.h takes the shares; the world sends the probes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/balance/replica.h"

namespace sy::balance {

struct CheckRules {
    Duration interval = 5s;       ///< From the end of a probe to the next, while the replica is in; up to a tenth less.
    Duration retry = 1s;          ///< The same while it is out or returning.
    Duration timeout = 2s;        ///< A probe not answered by then has failed.
    std::uint32_t failures = 3;   ///< In a row, of probes and requests: out.
    std::uint32_t successes = 2;  ///< Of probes, in a row: in.
    /// Where fewer than this many thousandths of those that were ever in are still in, all of them are used again:
    /// checks that fail nearly everywhere are likelier wrong than right, and few replicas cannot carry the load of
    /// many. 0: never.
    std::uint32_t panic = 0;
    Duration slow_start = 0s;  ///< Who comes in gets a tenth of its weight, and all of it after this long.
};

/// The limit or the rule that these break, if any.
Result<void> validate(const CheckRules& rules);

struct Probe {
    ReplicaId replica;
    std::uint64_t number = 0;  ///< An answer to an older one is out of date.

    friend bool operator==(const Probe&, const Probe&) = default;
};

/// The share of its weight a replica may use from now on, in thousandths; 0: none.
struct Verdict {
    ReplicaId replica;
    std::uint32_t share = 0;

    friend bool operator==(const Verdict&, const Verdict&) = default;
};

struct Orders {
    std::vector<Probe> probes;  ///< To be sent now.
    std::vector<Verdict> verdicts;
};

enum class Condition { returning, in, out };

class Checks {
public:
    explicit Checks(const CheckRules& rules);

    /// Hold from the next event on.
    Result<void> set_rules(const CheckRules& rules);

    /// Its first probe is due at once, and its share is 0. False where it is watched already.
    bool watch(ReplicaId id, Instant now);
    std::vector<Verdict> forget(ReplicaId id, Instant now);

    /// To be called at next_wake() or later.
    Orders wake(Instant now);
    Instant next_wake() const;

    std::vector<Verdict> answered(const Probe& probe, bool well, Instant now);
    /// How a real request ended on it. Counts only while the replica is in: what began before it went out says nothing.
    std::vector<Verdict> served(ReplicaId id, bool well, Instant now);

    /// Nothing where it is not watched.
    std::optional<Condition> condition(ReplicaId id) const;
    bool panicking() const { return panicking_; }

private:
    struct Watched {
        Condition condition = Condition::returning;
        std::uint32_t in_a_row = 0;  ///< Failures while in, successes while returning.
        std::uint64_t probe = 0;     ///< The latest number.
        bool answer_due = false;
        bool was_in = false;
        std::uint32_t told = 0;  ///< The share last spoken of.
        Instant next_probe;      ///< Or, while an answer is due, the end of our patience.
        Instant came_in;
        Instant alarm;  ///< Its place in alarms_.
    };

    void set_alarm(ReplicaId id, Watched& watched, Instant now);
    void send_or_give_up(ReplicaId id, Watched& watched, Instant now, std::vector<Probe>& probes);
    void probe_ended(ReplicaId id, Watched& watched, bool well, Instant now);
    void failed(Watched& watched);
    void succeeded(Watched& watched, Instant now);
    void move_to(Watched& watched, Condition condition);
    Duration pause(ReplicaId id, const Watched& watched) const;
    std::uint32_t slow_share(const Watched& watched, Instant now) const;
    Instant next_step(const Watched& watched, Instant now) const;
    /// Looks at these, or at everybody where panic has begun or ended.
    std::vector<Verdict> judge(const std::vector<ReplicaId>& touched, Instant now);
    void judge_one(ReplicaId id, Watched& watched, Instant now, std::vector<Verdict>& verdicts);

    CheckRules rules_;
    std::map<ReplicaId, Watched> watched_;
    std::set<std::pair<Instant, ReplicaId>> alarms_;
    std::uint64_t probes_ = 0;
    std::uint64_t in_ = 0;
    std::uint64_t ever_in_ = 0;
    bool panicking_ = false;
};

}  // namespace sy::balance
