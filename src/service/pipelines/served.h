// Served: one model that nodes of other hosts hold between them, and what they and its clients say to it. The crew
// (core/pipeline/members) decides; this is the world around it: JSON in, JSON out, orders that a node hears with its
// next beat, and clients that wait for a way.
//
// Nothing is written down. After a restart a node's first beat is answered by the wish that it join, and it says what
// it holds; a client asks for its way again. One owner at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/time.h"
#include "core/pipeline/members/crew.h"
#include "core/pipeline/members/crew_view.h"
#include "input/pipeline_words.h"
#include "service/pipelines/bodies.h"
#include "service/pipelines/doubts.h"
#include "service/pipelines/tally.h"

namespace sy::pipelines {

struct Answer {
    unsigned status = 200;
    Json json = Json::object();
};

/// What a pipeline does and did, for a page of metrics.
struct Figures {
    std::string name;
    pipeline::CrewView view;
    std::array<std::size_t, pipeline::kNodeStates.size()> states{};
    std::optional<double> balance;
    const Tally& tally;  ///< The pipeline's own.
};

class Served {
public:
    using Reply = std::function<void(Answer)>;
    using Say = std::function<void(const std::string&)>;

    /// Requests are numbered from there.
    static Result<std::unique_ptr<Served>> make(const input::PipelineOrder& order, std::uint64_t first_request,
                                                Say say);

    const std::string& name() const { return name_; }

    // What nodes say.
    Answer join(std::string_view body, Instant now);
    Answer beat(const Json& body, Instant now);
    Answer leave(const Json& body, Instant now);
    Answer measure(std::string_view body, Instant now);

    // What clients say. A way may take a while to be found.
    void route(const Json& body, Instant now, const Reply& reply);
    void stage_failed(const Json& body, Instant now, const Reply& reply);
    Answer end(const Json& body, Instant now);
    /// Who waited for an answer about this request has gone, and with it the request.
    void client_gone(RequestId request, Instant now);
    /// Of the request that the last call of route() began or asked for again.
    RequestId last_asked() const { return last_asked_; }

    /// The model is served no more: whoever waits hears so.
    void close();

    void tick(Instant now);
    /// When it wants the next tick.
    Instant due() const { return due_; }

    Json summary() const;
    /// Valid until the pipeline is spoken to.
    Figures figures() const;
    Json shown(Instant now) const;
    /// Where a request stands, and why it waits.
    Answer explain(RequestId request, Instant now) const;

private:
    struct Order {
        pipeline::Range range;
        pipeline::Range keep;
    };

    Served(std::string name, Mesh ground, pipeline::Crew crew, std::uint64_t first_request, Say say);

    void step(const pipeline::CrewEvent& event, Instant now);
    void carry_out(const pipeline::LoadLayers& order);
    void carry_out(const pipeline::NodeRefused& refused);
    void carry_out(const pipeline::NodeLost& lost);
    void carry_out(const pipeline::NodeUnknown& unknown);
    void carry_out(const pipeline::RouteGiven& given);
    void carry_out(const pipeline::RequestParked&) {}
    void carry_out(const pipeline::RequestRerouted& rerouted);
    void carry_out(const pipeline::RequestRefused& refused);
    void carry_out(const pipeline::RequestFailed& failed);
    void carry_out(const pipeline::Rebalanced& rebalanced);
    void carry_out(const pipeline::WakeAt& wake) { due_ = wake.at; }

    Json heed(const SaidBeat& said, Instant now);
    void hear_what_it_holds(const std::string& node, const pipeline::Range& holds, Instant now);
    Json counts_json() const;
    Json order_for(const std::string& node) const;
    void answer(RequestId request, const Answer& answer);
    void await(RequestId request, const Reply& reply);
    bool passes(const pipeline::Pipeline& stages, const std::string& node) const;
    void answer_with_way(RequestId request);
    void answer_who_doubted(const std::string& node);
    Json way(RequestId request, const std::vector<pipeline::NamedStage>& stages) const;
    Json stages_json(const std::vector<pipeline::NamedStage>& stages) const;
    Json node_json(const pipeline::NodeView& node, Instant now) const;
    void put_address(Json& json, const std::string& node) const;

    std::string name_;
    Mesh ground_;  ///< Without nodes.
    pipeline::Crew crew_;
    std::uint64_t last_request_;
    Say say_;
    std::map<std::string, Order> orders_;           ///< By node: that it has not said it followed.
    std::map<std::string, std::string> addresses_;  ///< By node, of those that said theirs.
    std::map<RequestId, Reply> waiting_;            ///< For a way.
    Doubts doubts_;
    std::string refusal_;      ///< Of the node that spoke last; empty: it was taken in.
    bool is_unknown_ = false;  ///< The node that spoke last is not here.
    RequestId last_asked_;
    Instant due_ = kNever;
    Instant now_ = kStart;
    Tally tally_;
};

}  // namespace sy::pipelines
