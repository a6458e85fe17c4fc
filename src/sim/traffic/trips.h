// Trips: requests on their ways, and how far each has come.
//
// A trip is a request on one way: its prompt goes through every stage and brings a token, then the answer is told in
// parts; between two of them nobody looks at the crowd. Whoever runs the simulation sends requests out, says when what
// was due has come, and takes ways away; what to do next, and after how long, is the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/pipeline/route/route.h"
#include "sim/traffic/crowding.h"
#include "sim/traffic/line.h"
#include "sim/traffic/requests.h"
#include "sim/traffic/tally.h"

namespace sy::sim {

class Trips {
public:
    /// What a trip does next. One of a trip that is over means nothing.
    struct Step {
        enum class What : std::uint8_t { stage, part };
        What what = What::stage;
        std::uint32_t trip = 0;
        std::uint32_t life = 0;
    };
    struct Due {
        Duration after{};
        Step step;
    };

    Trips(const pipeline::Costs& costs, const std::vector<TrafficRequest>& requests, std::uint64_t activation_bytes,
          Tally& tally)
        : costs_(costs), requests_(requests), activation_bytes_(activation_bytes), tally_(tally), crowding_(costs) {}

    Due set_out(const Wish& wish, pipeline::Route route, Instant now);
    bool is_current(const Step& step) const { return trips_[step.trip].life == step.life; }
    /// Nothing where the answer is complete: it is for the caller to say so. The step must be a current one.
    std::optional<Due> go_on(const Step& step, Instant now);
    /// The node whose work begins with this step; none where an answer begins or goes on.
    std::optional<pipeline::NodeIndex> next_node(const Step& step) const;

    /// All of its tokens came.
    void finish(std::uint32_t trip, Instant now);
    /// It leaves its way; what it had of its answer is its to keep.
    Wish give_up(std::uint32_t trip, Instant now);
    /// The node forgets what stands in line.
    void clear_line(pipeline::NodeIndex node, Instant now);

    const pipeline::Route& route(std::uint32_t trip) const { return trips_[trip].route; }
    const Wish& wish(std::uint32_t trip) const { return trips_[trip].wish; }
    /// Those under way through the node.
    std::vector<std::uint32_t> through(pipeline::NodeIndex node) const;
    std::size_t under_way() const { return under_way_; }
    /// Nobody demands anything.
    bool is_idle() const { return crowding_.is_idle(); }

    Instant arrival_of(std::uint32_t request) const { return kStart + requests_[request].arrival; }

private:
    /// Places are used again.
    struct Trip {
        Wish wish;
        pipeline::Route route;
        Way way;
        Instant begun;
        std::uint32_t stage = 0;
        std::uint32_t life = 0;
        bool active = false;
        // Of the present part of the answer; none while the prompt is on its way.
        std::uint32_t tokens = 0;
        Instant part_begun;
        Duration token_time{};
        pipeline::Rate pace = 0;
    };

    Trip& free_place();
    std::optional<Due> enter_stage(Trip& trip, Instant now);
    Due begin_part(Trip& trip, Instant now);
    void end_part(Trip& trip, std::uint32_t tokens);
    void leave(Trip& trip, Instant now);

    const TrafficRequest& request_of(const Trip& trip) const { return requests_[trip.wish.request]; }
    std::uint32_t prompt_of(const Trip& trip) const { return request_of(trip).prompt + trip.wish.produced; }
    Due due(Duration after, Step::What what, const Trip& trip) const {
        return {after, {what, static_cast<std::uint32_t>(&trip - trips_.data()), trip.life}};
    }

    const pipeline::Costs& costs_;
    const std::vector<TrafficRequest>& requests_;
    std::uint64_t activation_bytes_;
    Tally& tally_;
    Crowding crowding_;
    std::vector<Trip> trips_;
    std::vector<std::uint32_t> free_;
    std::size_t under_way_ = 0;
};

}  // namespace sy::sim
