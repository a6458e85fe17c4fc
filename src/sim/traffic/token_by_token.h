// The naive twin of traffic for its tests: every step of every node and every token of every request.
//
// A node that has something to do begins a step with at most one prompt and a batch of tokens, and what comes meanwhile
// waits for the next. Links pass everything at once; nothing fails.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/pipeline/division.h"
#include "core/pipeline/route/routers.h"
#include "sim/agenda.h"
#include "sim/traffic/crowding.h"
#include "sim/traffic/figures.h"
#include "sim/traffic/requests.h"

namespace sy::sim::testing {

class TokenByToken {
public:
    TokenByToken(const pipeline::Costs& costs, const pipeline::Division& division,
                 const std::vector<TrafficRequest>& requests, const std::string& routing)
        : costs_(costs),
          requests_(requests),
          router_(pipeline::make_router(routing)),
          shards_(costs.layers, costs.hops),
          nodes_(costs.nodes.size()),
          trips_(requests.size()) {
        std::vector<pipeline::WeightedPath> paths;
        for (const auto& [stages, rate] : division.pipelines) paths.push_back({stages, rate});
        router_->weigh(paths);
        for (const auto& [node, range] : division.holds) shards_.hold(node, shard_of(costs, node, range));
        for (std::uint32_t r = 0; r < requests.size(); ++r)
            agenda_.enter(kStart + requests[r].arrival, {What::come, r});
        while (!agenda_.empty()) happen(agenda_.take());
    }

    Spread latency() const { return spread_of(latencies_); }
    Spread first_token() const { return spread_of(first_tokens_); }
    std::size_t completed() const { return latencies_.size(); }

private:
    enum class What { come, reach, begin, end };
    struct Event {
        What what = What::come;
        std::uint32_t index = 0;
    };
    struct Trip {
        pipeline::Route route;
        std::uint32_t stage = 0;
        std::uint32_t produced = 0;
    };
    struct Node {
        std::deque<std::uint32_t> prompts;
        std::deque<std::uint32_t> tokens;
        std::vector<std::uint32_t> in_step;
        bool stepping = false;
    };

    void happen(const Event& event) {
        if (event.what == What::come) {
            waiting_.push_back(event.index);
            return serve();
        }
        if (event.what == What::reach) return reach(event.index);
        if (event.what == What::begin) return begin(nodes_[event.index], event.index);
        Node& node = nodes_[event.index];
        node.stepping = false;
        for (const std::uint32_t r : std::exchange(node.in_step, {})) go_on(r);
        kick(event.index);
    }

    void serve() {
        while (!waiting_.empty()) {
            auto answer = router_->route(shards_, {});
            if (!std::holds_alternative<pipeline::Route>(answer)) return;
            const std::uint32_t r = waiting_.front();
            waiting_.pop_front();
            trips_[r].route = std::get<pipeline::Route>(answer);
            shards_.begin(trips_[r].route);
            agenda_.enter(agenda_.now() + hop(r, kClient, trips_[r].route.stages.front().node), {What::reach, r});
        }
    }

    Duration hop(std::uint32_t r, pipeline::NodeIndex from, pipeline::NodeIndex to) const {
        return prompt_hop(costs_, from, to, trips_[r].produced == 0 && to != kClient ? requests_[r].prompt : 1);
    }

    void reach(std::uint32_t r) {
        Trip& trip = trips_[r];
        if (trip.stage < trip.route.stages.size()) {
            const pipeline::NodeIndex n = trip.route.stages[trip.stage].node;
            (trip.produced == 0 ? nodes_[n].prompts : nodes_[n].tokens).push_back(r);
            return kick(n);
        }
        if (trip.produced++ == 0) first_tokens_.push_back(agenda_.now() - kStart - requests_[r].arrival);
        trip.stage = 0;
        if (trip.produced < requests_[r].answer)
            return agenda_.enter(agenda_.now() + hop(r, kClient, trip.route.stages.front().node), {What::reach, r});
        latencies_.push_back(agenda_.now() - kStart - requests_[r].arrival);
        shards_.end(trip.route);
        serve();
    }

    /// What comes at the same instant goes with the same step.
    void kick(std::uint32_t node) { agenda_.enter(agenda_.now() + 1ns, {What::begin, node}); }

    void begin(Node& node, std::uint32_t index) {
        if (node.stepping || (node.prompts.empty() && node.tokens.empty())) return;
        Duration takes{};
        const auto take = [&](std::deque<std::uint32_t>& line, bool prompt) {
            const std::uint32_t r = line.front();
            line.pop_front();
            const pipeline::Range range = trips_[r].route.stages[trips_[r].stage].range;
            takes = std::max(
                takes, prompt ? costs_.prompt_time(index, range, requests_[r].prompt) : costs_.time(index, range));
            node.in_step.push_back(r);
        };
        if (!node.prompts.empty()) take(node.prompts, true);
        for (std::uint32_t n = 0; n < shards_.at(index).together && !node.tokens.empty(); ++n) take(node.tokens, false);
        node.stepping = true;
        agenda_.enter(agenda_.now() + takes, {What::end, index});
    }

    void go_on(std::uint32_t r) {
        Trip& trip = trips_[r];
        const pipeline::NodeIndex from = trip.route.stages[trip.stage++].node;
        const bool last = trip.stage == trip.route.stages.size();
        const pipeline::NodeIndex to = last ? kClient : trip.route.stages[trip.stage].node;
        agenda_.enter(agenda_.now() + hop(r, from, to), {What::reach, r});
    }

    const pipeline::Costs& costs_;
    const std::vector<TrafficRequest>& requests_;
    std::unique_ptr<pipeline::Router> router_;
    pipeline::Shards shards_;
    std::vector<Node> nodes_;
    std::vector<Trip> trips_;
    std::deque<std::uint32_t> waiting_;
    std::vector<Duration> latencies_;
    std::vector<Duration> first_tokens_;
    Agenda<Event> agenda_;
};

}  // namespace sy::sim::testing
