// Crew: the nodes that hold one model between them, while they come and go and requests pass through them (L7, L9, L10,
// L12). Events in, effects out, and nothing else.
//
// A pure state machine: no I/O, no clock, no threads. It promises that
//  - no node is told to hold more than fits it, embedding and head included; layers count from when it says that they
//    are loaded, and a node gives layers up only after the requests through it ended or were sent another way;
//  - a node that is silent for longer than the timeout is gone, whether it served or stood by;
//  - a request that was asked for ends once: as ended, refused or failed, with a reason;
//  - new requests keep away from a node that others called failed until it has beaten or a bounded time has passed,
//  where
//    there are others; no single client keeps a healthy node out for longer;
//  - rebalancing never stops service: what cannot be changed while others serve it stays as it is;
//  - loads of nodes, links and layers equal a recount of requests and nodes at any time;
//  - what a beat costs does not grow with the nodes or the requests; what takes long is done in turns, a Tick each,
//  which
//    it asks for by WakeAt.
// It is not stored. A crew that was started anew hears of its nodes when they beat, says that it does not know them,
// and they join with what they hold (NodeJoined); clients ask again for requests that are still under way. Not
// thread-safe: one owner at a time.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "core/pipeline/members/arrivals.h"
#include "core/pipeline/members/crew_event.h"
#include "core/pipeline/members/crew_settings.h"
#include "core/pipeline/members/layer_loads.h"
#include "core/pipeline/members/place_all.h"
#include "core/pipeline/members/roster.h"
#include "core/pipeline/members/suspects.h"
#include "core/pipeline/members/waiting_line.h"
#include "core/pipeline/route/router.h"
#include "core/pipeline/route/shards.h"

namespace sy::pipeline {

class Crew {
public:
    /// A request under way, or that waits for a way.
    struct Request {
        WaitingLine::Place place;
        std::optional<Route> route;  ///< None: it waits.
        bool had_way = false;
        std::uint32_t reroutes = 0;
        Instant heard;
        std::list<RequestId>::iterator in_quiet;
    };

    /// Invalid input where the model or a setting makes no sense, wrong usage where a strategy has an unknown name.
    static Result<Crew> make(Ground ground, CrewSettings settings);

    /// The one way in. The effects are valid until the next step. An instant before the last one counts as the last
    /// one.
    std::span<const CrewEffect> step(const CrewEvent& event, Instant now);

    const std::string& id_of(NodeIndex node) const { return roster_.at(node).id; }
    const Roster& roster() const { return roster_; }
    const Shards& shards() const { return shards_; }
    /// What the serving nodes can take, layer by layer.
    const LayerLoads& serving() const { return serving_; }
    /// What they could take if all had loaded what they should.
    const LayerLoads& wanted() const { return wanted_; }
    const std::map<RequestId, Request>& requests() const { return requests_; }
    const WaitingLine& line() const { return line_; }
    /// What the node serves, whether requests keep away from it or not; nothing where it does not serve.
    const Shard* served_by(NodeIndex node) const;
    /// It serves, but was called failed: new requests keep away from it.
    bool is_shunned(NodeIndex node) const { return shunned_.contains(node); }
    const CrewSettings& settings() const { return settings_; }
    std::size_t running_count() const { return running_; }
    std::size_t waiting_count() const { return line_.size(); }
    /// Every layer is held by somebody who serves.
    bool is_servable() const { return serving_.all_held(); }
    /// What the present pipelines put through, and what the arrivals of the last while ask for.
    Rate served() const { return served_; }
    Rate forecast() const { return arrivals_.rate(now_); }
    Pressure pressure() const { return {forecast(), requests_.size()}; }
    /// How full the mesh is or would be, whichever is more; see rebalance_threshold.
    Load load() const;
    Instant now() const { return now_; }
    /// When layers will be shared out anew; kNever where nothing is planned.
    Instant shares_out_at() const { return place_at_; }
    /// Layers are being shared out among everybody; each Tick does a part of it.
    bool is_placing() const { return to_place_; }
    /// Nothing is rebalanced before.
    Instant rests_until() const { return rested_at_; }
    /// Of the last time that the layers could not be shared out.
    const std::string& why_not_servable() const { return why_not_servable_; }

private:
    Crew(Roster roster, CrewSettings settings);

    void on(const NodeJoined& event);
    void on(const NodeLeft& event);
    void on(const Beat& event);
    void on(const LinkMeasured& event);
    void on(const LayersLoaded& event);
    void on(const LayersLost& event);
    void on(const LoadFailed& event);
    void on(const RequestAsked& event);
    void on(const RequestEnded& event);
    void on(const StageFailed& event);
    void on(const Tick&);

    // Who is there (crew.cc).
    std::optional<NodeIndex> known(const std::string& id);
    void lose(NodeIndex node, Loss loss);
    void lose_who_is_silent();
    void say_when_to_wake();
    Standing standing() const;

    // Who is to hold what (crew_plans.cc).
    void take_new_links();
    bool has_gap() const { return !wanted_.all_held(); }
    void want(NodeIndex node, Range range);
    void carry_out(const Change& change);
    void close_gaps();
    void place_anew();
    void go_on_placing();
    void take_up(const Result<Change>& placed);
    void review();
    void measure_capacity();

    // How they come to hold it (crew_moves.cc).
    void move_on();
    void move_on(NodeIndex node);
    void settle(NodeIndex node);
    void stir_queued();
    void set_due(NodeIndex node, Instant due);
    bool may_stop(NodeIndex node) const;
    void serve(NodeIndex node);
    void stop_serving(NodeIndex node);
    void count_worth(NodeIndex node);
    void tell_to_load(NodeIndex node);

    // Whom requests keep away from (crew_suspicion.cc).
    void heed_suspicion();
    void shun(NodeIndex node);
    void readmit(NodeIndex node);

    // What passes through them (crew_requests.cc).
    std::uint64_t tokens_of(const RequestAsked& event);
    RouteAnswer find_way(Level level);
    RouteAnswer find_way_around(NodeIndex node, Level level);
    void tell_router_other_ways();
    void give_way(Request& request, Route route);
    void take_way(Request& request);
    void reroute_from(NodeIndex node);
    void park(Request& request);
    void erase(std::map<RequestId, Request>::iterator request);
    void deny(RequestId id, Denial why, std::string reason);
    void hear(Request& request);
    void fail_who_went_quiet();
    void serve_waiting();
    void refuse_who_waited_too_long();
    void refuse_if_waiting_is_in_vain(RequestId id);

    CrewSettings settings_;
    Roster roster_;
    Shards shards_;
    std::unique_ptr<Router> router_;
    LayerLoads serving_;
    LayerLoads wanted_;
    std::set<NodeIndex> moving_;   ///< Those that do not hold what they should, or do not serve it yet.
    std::set<NodeIndex> stirred_;  ///< Of these, those for which something changed.
    std::set<NodeIndex> queued_;   ///< Of these, those that go on serving until others can do without them.
    std::set<std::pair<Instant, NodeIndex>> dues_;  ///< When those that drain or load must have ended.

    Suspects suspects_;                   ///< Of those that serve.
    std::map<NodeIndex, Shard> shunned_;  ///< Of these, those that routers do not see, with what they would see.

    std::map<RequestId, Request> requests_;
    std::vector<std::vector<RequestId>> through_;  ///< By node: requests on their way through it, in order.
    std::list<RequestId> quiet_;                   ///< All requests, the one heard of longest ago first.
    WaitingLine line_;
    std::size_t running_ = 0;
    std::uint64_t turns_ = 0;
    bool may_find_way_ = false;  ///< Something changed since the first in line found none.

    Arrivals arrivals_;
    std::uint64_t usual_output_;          ///< Thousandths of a token.
    std::uint64_t prompt_worth_ = 1'000;  ///< Tokens of output that take as long as 1,000 of a prompt.
    std::uint64_t worth_sum_ = 0;         ///< The same of all who serve, added up.
    std::uint32_t serving_count_ = 0;
    Rate served_ = 0;
    bool other_capacity_ = false;  ///< Since it was measured last.
    bool other_ways_ = true;       ///< Since the router was told the flow.

    Instant now_ = kStart;
    Instant place_at_ = kNever;
    std::string why_not_servable_ = "not servable: there is no node";
    bool to_place_ = false;           ///< Everybody, in turns.
    bool newcomers_ = false;          ///< Since that began.
    std::optional<Placing> placing_;  ///< Once the first turn has come.
    Instant relink_at_ = kStart;      ///< Before then new links wait.
    Instant review_at_ = kStart;
    Instant rested_at_ = kStart;  ///< Before then nothing is rebalanced.
    bool tried_in_vain_ = false;  ///< When the rest began nothing was worth it; a newcomer may be.
    Instant wake_at_ = kNever;    ///< As said last.

    std::vector<CrewEffect> effects_;
};

}  // namespace sy::pipeline
