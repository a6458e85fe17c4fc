// Leadership: which of several servers writes. A lease in Redis, and with each new leader a greater number that every
// write must bear: one that lost its lease while it was asleep is refused, whatever it believes.
//
// The lease is measured by Redis's clock alone. Keeps a line of its own, so that a long commit does not cost the lease.
// Used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/store/redis_place.h"
#include "service/store/redis_scripts.h"

namespace sy::store {

struct Candidate {
    std::string address;   ///< Where clients find this server, for the others to send them there.
    Duration lease = 10s;  ///< At least 100 ms.
};

struct Leader {
    Term term;
    std::string address;
    Duration left = {};  ///< Of its lease.
};

/// How far somebody has seen the store, or written it.
struct Seen {
    Term term;
    std::uint64_t last = 0;
};

enum class Try : std::uint8_t {
    taken,
    led,     ///< Another leads.
    behind,  ///< The store does not have what was seen.
    gap,     ///< The store does not have what this server wrote itself, in this life or an earlier one.
    early,   ///< Redis has only just started after an unclean end: who led it gets one lease to come back.
};

enum class Reign : std::uint8_t {
    ours,
    deposed,
    forgotten,  ///< Redis was emptied or went back: the store's next write tells it again, then this does.
};

class Leadership {
public:
    /// Looks, and writes nothing.
    static Result<Leadership> open(const RedisPlace& place, Candidate candidate);

    /// A store that has gone back behind what a standby has `seen` is not led while its leader, who may have the rest
    /// in memory, can still come back; nor one that has gone back behind what this server has `written`. Where the
    /// answer is lost, the lease is ours without our knowing it, and runs out by itself.
    Result<Try> take(const Seen& seen = {}, const Seen& written = {});
    /// For another lease from now on. Also where it had run out and nobody else took it. A Redis that cannot write its
    /// files renews nothing, but nobody can take the lease there either: it is ours as long as we have the last term.
    Result<Reign> renew();
    /// So that another need not wait. Where it is not ours, nothing happens.
    Result<void> give_up();
    Result<std::optional<Leader>> who_leads();

    /// After `take`.
    Term term() const { return term_; }

private:
    Leadership(RedisPlace place, Candidate candidate, redis::Connection connection, Scripts scripts);

    /// A script over meta, fence and leader; once more where Redis did not know it.
    Result<redis::Reply> run(Script script, const std::vector<std::string>& arguments);

    RedisPlace place_;
    Candidate candidate_;
    RedisKeys keys_;
    redis::Connection connection_;
    Scripts scripts_;
    Term term_;
};

}  // namespace sy::store
