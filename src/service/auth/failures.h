// Failures: how many wrong tokens a peer may try in a second before it is told to wait.
//
// Who shows a good token is never kept out: behind a proxy all peers look alike, and one who guesses must not lock out
// the others. On one thread.
#pragma once

#include <string>
#include <unordered_map>

#include "base/time.h"

namespace sy::auth {

class Failures {
public:
    /// Counts one more; false where it was one too many.
    bool note(const std::string& peer, Instant now);
    std::size_t peer_count() const { return windows_.size(); }

    static constexpr unsigned kMostInASecond = 10;
    static constexpr std::size_t kMostPeers = 10'000;

private:
    struct Window {
        Instant since;
        unsigned count = 0;
    };
    std::unordered_map<std::string, Window> windows_;
};

}  // namespace sy::auth
