// Scene: what happens to a mesh while requests pass through it: nodes come, leave and fall silent, and more or fewer
// requests come (L15).
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace sy {

struct SceneEvent {
    enum class What : std::uint8_t {
        join,
        leave,  ///< It says so.
        fail,   ///< It falls silent.
        rate,   ///< So many requests come a second from then on.
    };
    Duration at{};  ///< Since the first request may come.
    What what = What::join;
    std::vector<std::uint32_t> nodes{};  ///< By their places in the mesh, all at once.
    double per_second = 0;

    friend bool operator==(const SceneEvent&, const SceneEvent&) = default;
};

struct Scene {
    double loading_gb_per_s = 1;                  ///< Of every node, whatever it loads from.
    Duration notice = 5s;                         ///< So long whoever waits for a silent node waits before saying so.
    Duration heartbeat_timeout = 60s;             ///< Then a silent node is gone.
    Duration drain_for = 30s;                     ///< Then requests are sent another way.
    std::uint32_t rebalance_threshold = 800'000;  ///< Millionths of what the pipelines can take.
    std::vector<SceneEvent> events;               ///< In order.

    /// By node: those of which the first event is that they join are not there before.
    std::vector<bool> there_at_first(std::size_t nodes) const {
        std::vector<bool> there(nodes, true);
        std::vector<bool> named(nodes);
        for (const SceneEvent& event : events)
            for (const std::uint32_t node : event.nodes) {
                if (!named[node] && event.what == SceneEvent::What::join) there[node] = false;
                named[node] = true;
            }
        return there;
    }

    friend bool operator==(const Scene&, const Scene&) = default;
};

}  // namespace sy
