#include "service/auth/failures.h"

namespace sy::auth {

bool Failures::note(const std::string& peer, Instant now) {
    const auto is_over = [now](const auto& entry) { return now - entry.second.since >= 1s; };
    if (windows_.size() >= kMostPeers) std::erase_if(windows_, is_over);
    if (windows_.size() >= kMostPeers && !windows_.contains(peer)) return false;
    Window& window = windows_.try_emplace(peer, Window{now, 0}).first->second;
    if (now - window.since >= 1s) window = {now, 0};
    if (window.count >= kMostInASecond) return false;
    ++window.count;
    return true;
}

}  // namespace sy::auth
