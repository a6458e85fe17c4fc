// Scripts: what Redis carries out in one step. Each that writes asks first whether the number of its writer's term is
// still the one in force, so that a server that was deposed, and does not know it yet, changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "service/redis/connection.h"

namespace sy::store {

/// One server's time as the leader; its number fences off all before it. It only grows, even where Redis has lost its
/// memory of those before: see the script `take`.
using Term = Id<struct TermTag>;

enum class Script : std::uint8_t {
    commit,
    keep_part,
    keep_snapshot,
    forget,
    reassert,
    take,
    renew,
    confirm,
    give_up,
    keep_document
};
inline constexpr std::size_t kScripts = 10;

/// By what name Redis knows each. It forgets them with its life.
class Scripts {
public:
    static Result<Scripts> load(redis::Connection& connection);

    /// The beginning of a call: the script, and how many keys come next.
    redis::Command call(Script script, std::uint32_t keys) const;

private:
    std::array<std::string, kScripts> digests_;
};

/// What a script that writes came to.
struct Verdict {
    enum class Kind : std::uint8_t {
        done,        ///< Now, or when it was asked before.
        deposed,     ///< A later term is in force.
        behind,      ///< Redis does not know what it was told before.
        unfinished,  ///< It lacks parts of what is to be put together.
        other,
    };
    Kind kind = Kind::other;
    std::uint64_t last = 0;  ///< The number of the last group that Redis has.
};

Verdict verdict_in(const redis::Value& answer);

}  // namespace sy::store
