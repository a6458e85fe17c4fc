// Order: who is next in the queue.
//
// An order ranks tasks by what they say of themselves and by what it remembers of others. It sees no GPU and asks no
// clock. Ties are never its business: equal ranks fall back to the order of acceptance (or, while tasks are
// interrupted, to `Ties`), so every order is total and every run repeats.
//
// To add one: derive, return a rank, add a line to registry.cc, write the test. Nothing else changes.
#pragma once

#include <cstdint>

#include "base/codec.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/model/job.h"
#include "core/model/task.h"

namespace sy::queue {

/// Smaller goes first. An integer, so that no machine rounds it differently.
using Rank = std::int64_t;

/// What an order may look at.
struct Candidate {
    Instant submitted;
    Duration length{};    ///< How long it will run, as far as is known: the truth in a trace, an estimate live.
    Duration estimate{};  ///< What its owner says; zero: nothing.
    Duration expected{};  ///< That, or `length`.
    Instant deadline = kNever;
    NameId user;
    NameId model;
    NameId name;
    GpuCount gpus = 1;
    Level level = Level::normal;
};

/// How a rank moves while its task runs. Waiting tasks keep theirs.
enum class Motion : std::uint8_t {
    still,
    falls,           ///< By one a nanosecond: what remains to run.
    falls_by_width,  ///< The same, times the GPUs held; the rank is in nanoseconds still, and compared times the GPUs.
};

/// Which of two tasks of equal rank comes first where tasks are interrupted.
enum class Ties : std::uint8_t {
    by_arrival,
    as_before,      ///< The one that came first in the last decision: a stable sort of a list that persists.
    running_first,  ///< Then those that waited, then newcomers.
};

/// Longer than anything runs.
inline constexpr Duration kForever = Duration::max();

class Order {
public:
    virtual ~Order() = default;

    /// Of a task that has just come. Asked once for each, in the order of acceptance.
    virtual Rank rank(const Candidate& task) = 0;

    /// Whether all tasks of a level have the same rank, so that among them only arrival counts. Then they can be moved.
    virtual bool ranks_by_level() const { return false; }

    virtual void started(const Candidate&, Rank) {}
    virtual void ended(const Candidate&, Duration /*ran*/) {}

    /// Whether a rank depends on more than the task: on others that came, started or ended before.
    virtual bool remembers() const { return false; }
    /// Whether what it remembers can be kept as bytes.
    virtual bool can_be_saved() const { return true; }
    /// What it remembers, as bytes and back; false where the bytes cannot be such a memory.
    virtual void save(ByteWriter&) const {}
    virtual bool load(ByteReader&) { return true; }
    /// Whether a task that runs may be put aside for one that waits.
    virtual bool interrupts() const { return false; }
    virtual Motion motion() const { return Motion::still; }
    virtual Ties ties() const { return Ties::by_arrival; }

    /// How long a task of this rank that has run so long may go on before it gets another rank.
    virtual Duration spell(const Candidate&, Rank, Duration /*attained*/) const { return kForever; }
    virtual Rank after_spell(const Candidate&, Rank rank) { return rank; }
    /// Whether a spell means nothing while nobody waits.
    virtual bool spells_need_rivals() const { return false; }
    /// How often everybody is brought back to the rank of a newcomer, with nothing attained; kForever: never.
    virtual Duration boost() const { return kForever; }
};

}  // namespace sy::queue
