// Server: the brain, its journal and the rule between them, as the live service keeps it, in virtual time.
//
// Every event is appended to the journal, then stepped; its effects leave only when the journal is synced up to it. A
// heartbeat asks for no sync of its own but waits for those before it. A crash loses the brain, the effects not yet
// sent and the unsynced part of the journal; a start reads the journal back. Simulated: time, disk and network.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "core/control/core.h"
#include "sim/agenda.h"
#include "sim/journal.h"
#include "sim/machine.h"
#include "sim/watch.h"
#include "sim/weather.h"

namespace sy::sim {

class Server {
public:
    struct World {
        Agenda<Action>& agenda;
        Watch& watch;
        std::function<void(const Effect&)> send;
        /// Asked at each point where a crash would matter. True: it strikes here.
        std::function<bool()> crash_strikes;
    };

    Server(const Weather& weather, control::Settings settings, Random random, World world);

    bool is_up() const { return core_.has_value(); }
    /// Only while up.
    const control::Core& core() const { return *core_; }
    std::size_t crashes() const { return crashes_; }
    std::size_t events() const { return events_; }

    void start();
    void crash();
    /// Nothing is handled before then; what arrives waits.
    void pause_until(Instant until) { paused_until_ = std::max(paused_until_, until); }
    Instant paused_until() const { return paused_until_; }
    void receive(const Event& event);

    /// A brain that reads the whole journal must come to the same state as the one that lived through it.
    void check_replay();

private:
    struct Waiting {
        std::size_t number = 0;
        Effect effect;
    };

    void step(const Event& event);
    void begin_sync();
    void send_what_is_durable();
    void wake_at(Instant at);
    control::Core replay(const Journal::Contents& contents, bool from_snapshot);

    const Weather& weather_;
    control::Settings settings_;
    Random random_;
    World world_;

    Journal journal_;
    std::optional<control::Core> core_;
    std::deque<Waiting> outbox_;
    std::size_t wanted_ = 0;  ///< The journal is to be synced up to here.
    bool syncing_ = false;
    Instant wake_ = kNever;
    Instant paused_until_ = kStart;
    std::size_t lives_ = 0;  ///< What was entered in the agenda by an earlier life is void.
    std::size_t crashes_ = 0;
    std::size_t events_ = 0;
};

}  // namespace sy::sim
