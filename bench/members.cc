// A crew of 10,000 nodes that hold one model: beats a second, and what one decision takes while nodes come and go and
// requests begin and end. A step is timed whole, with everything it changes and says.
//
// Three crews. In the busy one all nodes joined before the layers were shared out, so everybody serves. In the idle one
// a few of them serve and all others stand by; there a leave opens a gap that somebody has to close at once. In the
// linked one every node has measured the way to four others.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/pipeline/members/crew.h"

namespace sy::bench {

namespace {

using pipeline::Crew;
using pipeline::Range;

constexpr std::uint32_t kMembers = 10'000;
constexpr std::uint32_t kServing = 16;  ///< In the idle crew.
constexpr std::size_t kRequestsInFlight = 2'000;
constexpr std::uint32_t kLinksOfEach = 4;  ///< In the linked crew.

pipeline::Ground ground() {
    pipeline::Ground ground;
    ground.model = {.name = "large",
                    .layers = 80,
                    .hidden = 8'192,
                    .intermediate = 28'672,
                    .heads = 64,
                    .kv_heads = 8,
                    .head_size = 128,
                    .vocab = 128'256};
    return ground;
}

MeshNode node_of(std::uint32_t number) {
    constexpr std::uint64_t kGb[] = {24, 40, 80, 141};
    constexpr double kTflops[] = {165, 312, 989, 989};
    constexpr double kBandwidth[] = {1'008, 1'555, 3'350, 4'800};
    const std::uint32_t kind = number % 4;
    return {.id = fmt::format("node-{:05}", number),
            .tflops = kTflops[kind],
            .memory = Bytes(kGb[kind] * 1'000'000'000),
            .bandwidth_gb_s = kBandwidth[kind]};
}

/// Times of one kind of step, in microseconds.
struct Times {
    std::vector<double> us;
    bool is_decision = true;  ///< About one node or request; others have no limit.

    double at(double part) {
        if (us.empty()) return 0;
        std::sort(us.begin(), us.end());
        return us[std::min(us.size() - 1, static_cast<std::size_t>(part * static_cast<double>(us.size())))];
    }
};

class Drill {
public:
    explicit Drill(pipeline::CrewSettings settings) : crew_(*Crew::make(ground(), std::move(settings))) {}

    void join(std::uint32_t number, Range holds = {}) {
        step("join", pipeline::NodeJoined{node_of(number), {}, holds});
    }
    void join_with_links(std::uint32_t number) {
        std::vector<pipeline::MeasuredLink> links;
        for (std::uint32_t i = 0; i < kLinksOfEach; ++i) links.push_back(some_link(number));
        step("join", pipeline::NodeJoined{node_of(number), links});
    }
    void measure_link(std::uint32_t number) { step("measure a link", pipeline::LinkMeasured{some_link(number)}); }
    /// What nobody waits for.
    void pass_at_leisure(Duration time, const char* what) {
        pass(time, what);
        times_[what].is_decision = false;
    }
    /// In as many turns as it takes; the seconds of all.
    double place_all() {
        const Stopwatch watch;
        do pass_at_leisure(1s, "one turn of the first placement");
        while (crew_.is_placing());
        return watch.seconds();
    }
    Range held_by(std::uint32_t number) const {
        const auto node = crew_.roster().find(node_of(number).id);
        return node ? crew_.roster().held(*node) : Range{};
    }
    void leave(std::uint32_t number) { step("leave", pipeline::NodeLeft{node_of(number).id}); }
    void ask() {
        step("ask for a route",
             pipeline::RequestAsked{.request = RequestId(++asked_), .prompt_tokens = 100, .output_tokens = 10});
    }
    void end_one() {
        if (open_.empty()) return;
        std::swap(open_[random_.below(open_.size())], open_.back());
        const RequestId request = open_.back();
        open_.pop_back();
        step("end a request", pipeline::RequestEnded{request});
    }
    void pass(Duration time, const char* what = "tick") {
        now_ += time;
        step(what, pipeline::Tick{});
    }
    /// More is asked for than anybody puts through, so each review looks for a rebalancing.
    void overload() {
        for (int i = 0; i < 20; ++i)
            step("ask for a route",
                 pipeline::RequestAsked{.request = RequestId(++asked_), .output_tokens = 1'000'000'000});
    }
    /// What nodes were told to load is there.
    void load() {
        while (!to_load_.empty()) {
            const auto [node, range] = *to_load_.begin();
            to_load_.erase(to_load_.begin());
            step("layers loaded", pipeline::LayersLoaded{node, range});
        }
    }
    void beat_all() {
        for (const pipeline::Beat& beat : beats_) {
            now_ += 5us;
            heed(crew_.step(beat, now_));
        }
    }
    double beats_per_second(std::uint64_t rounds) {
        std::uint64_t beats = 0;
        double seconds = 0;
        for (std::uint64_t i = 0; i < rounds; ++i) {
            draw_beats();
            const Stopwatch watch;
            beat_all();
            seconds += watch.seconds();
            beats += beats_.size();
        }
        return static_cast<double>(beats) / seconds;
    }
    /// A beat of each node, whose measured time differs a little from the last, and now and then by much.
    void draw_beats() {
        beats_.clear();
        const pipeline::Roster& roster = crew_.roster();
        for (pipeline::NodeIndex n = 0; n < roster.size(); ++n) {
            if (!roster.is_there(n)) continue;
            Duration each = 1ms;
            if (crew_.shards().holds(n)) each = crew_.shards().at(n).per_layer;
            each = each * random_.between(95, 105) / 100 * (random_.chance(0.01) ? 2 : 1);
            beats_.push_back({roster.at(n).id, each, 8});
        }
        for (std::size_t i = beats_.size(); i > 1; --i) std::swap(beats_[i - 1], beats_[random_.below(i)]);
    }

    template <class Event>
    void step(const char* what, const Event& event) {
        now_ += 50us;
        const Stopwatch watch;
        const auto effects = crew_.step(event, now_);
        times_[what].us.push_back(watch.seconds() * 1e6);
        heed(effects);
    }
    void forget_times() { times_.clear(); }
    std::vector<Row> rows(const std::string& crew) {
        std::vector<Row> rows;
        for (auto& [what, times] : times_) {
            const auto limit = times.is_decision ? std::optional(1'000.0) : std::nullopt;
            rows.push_back({fmt::format("{}: {}, p99", crew, what), times.at(0.99), "us", limit, Aim::at_most});
            rows.push_back({fmt::format("{}: {}, longest", crew, what), times.at(1), "us", {}});
        }
        return rows;
    }
    const Crew& crew() const { return crew_; }
    std::uint64_t denied() const { return denied_; }
    std::uint64_t mended() const { return mended_; }
    Random& random() { return random_; }

private:
    pipeline::MeasuredLink some_link(std::uint32_t number) {
        const auto other = static_cast<std::uint32_t>((number + 1 + random_.below(kMembers - 1)) % kMembers);
        return {node_of(number).id, node_of(other).id, {random_.between(1ms, 90ms), 1}};
    }
    void heed(std::span<const pipeline::CrewEffect> effects) {
        for (const pipeline::CrewEffect& effect : effects) {
            if (const auto* load = std::get_if<pipeline::LoadLayers>(&effect)) {
                to_load_[load->node] = load->range;
                if (load->range.empty()) to_load_.erase(load->node);
            } else if (const auto* lost = std::get_if<pipeline::NodeLost>(&effect)) {
                to_load_.erase(lost->node);
            } else if (const auto* given = std::get_if<pipeline::RouteGiven>(&effect)) {
                open_.push_back(given->request);
            } else if (std::holds_alternative<pipeline::RequestRefused>(effect) ||
                       std::holds_alternative<pipeline::RequestFailed>(effect)) {
                ++denied_;
            } else if (const auto* moved = std::get_if<pipeline::Rebalanced>(&effect)) {
                mended_ += moved->plan == pipeline::Plan::mended ? 1U : 0U;
            }
        }
    }

    Crew crew_;
    Random random_{1};
    Instant now_ = kStart;
    std::map<std::string, Range> to_load_;
    std::vector<RequestId> open_;
    std::vector<pipeline::Beat> beats_;
    std::map<std::string, Times> times_;
    std::uint64_t asked_ = 0;
    std::uint64_t denied_ = 0;
    std::uint64_t mended_ = 0;
};

/// One node goes and comes again, every other time with what it held; between, requests begin and end.
void churn(Drill& drill, std::uint64_t rounds, std::uint32_t among) {
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto node = static_cast<std::uint32_t>(drill.random().below(among));
        const Range held = drill.held_by(node);
        drill.leave(node);
        drill.load();
        for (int k = 0; k < 10; ++k) {
            drill.ask();
            drill.end_one();
        }
        drill.join(node, i % 2 == 0 ? held : Range{});
        drill.load();
        drill.pass(1ms);
    }
}

/// Reviews of a crew that is too full, each of which looks for the best change.
void review_overloaded(Drill& drill, std::uint64_t times) {
    drill.overload();
    for (std::uint64_t i = 0; i < times; ++i) {
        drill.pass(2s, "look for a rebalancing");
        drill.load();
    }
}

pipeline::CrewSettings settings() {
    return {.heartbeat_timeout = 24h, .rest = 1s, .request_timeout = 24h};
}

std::vector<Row> busy_crew(const Pace& pace) {
    Drill drill(settings());
    for (std::uint32_t n = 0; n < kMembers; ++n) drill.join(n);
    const double placed_ms = drill.place_all() * 1e3;
    drill.forget_times();
    drill.load();
    for (std::size_t i = 0; i < kRequestsInFlight; ++i) drill.ask();
    const double beats = drill.beats_per_second(pace.draws(50));
    churn(drill, pace.draws(5'000), kMembers);
    const bool good = drill.denied() == 0 && drill.crew().is_servable();
    review_overloaded(drill, pace.draws(50));
    std::vector<Row> rows = drill.rows("10,000 nodes serve");
    // Not a decision about one node or request, and made once.
    rows.push_back({"10,000 nodes serve: first placement of all", placed_ms, "ms", {}});
    rows.push_back({"10,000 nodes serve: beats", beats, "beats/s", 100e3});
    if (!good) rows.push_back({"10,000 nodes serve: something was denied", 1, "", 0, Aim::at_most});
    return rows;
}

std::vector<Row> linked_crew(const Pace& pace) {
    Drill drill(settings());
    for (std::uint32_t n = 0; n < kMembers; ++n) drill.join_with_links(n);
    const double placed_ms = drill.place_all() * 1e3;
    drill.load();
    const double beats = drill.beats_per_second(pace.draws(50));
    for (std::uint64_t i = 0; i < pace.draws(200); ++i) {
        drill.measure_link(static_cast<std::uint32_t>(i));
        drill.ask();
        drill.end_one();
    }
    for (std::uint64_t i = 0; i < pace.draws(10); ++i) {
        drill.measure_link(static_cast<std::uint32_t>(i));
        drill.pass_at_leisure(5s, "look at all links");
    }
    std::vector<Row> rows = drill.rows("10,000 nodes, links measured");
    rows.push_back({"10,000 nodes, links measured: first placement of all", placed_ms, "ms", {}});
    rows.push_back({"10,000 nodes, links measured: beats", beats, "beats/s", 100e3});
    return rows;
}

/// Somebody who serves.
std::uint32_t some_server(Drill& drill) {
    while (true) {
        const auto n = static_cast<pipeline::NodeIndex>(drill.random().below(drill.crew().shards().size()));
        if (drill.crew().shards().holds(n))
            return static_cast<std::uint32_t>(std::stoul(drill.crew().id_of(n).substr(5)));
    }
}

std::vector<Row> idle_crew(const Pace& pace) {
    Drill drill(settings());
    for (std::uint32_t n = 0; n < kServing; ++n) drill.join(n);
    drill.pass(1s);
    drill.load();
    for (std::uint32_t n = kServing; n < kMembers; ++n) drill.join(n);
    drill.forget_times();
    for (std::size_t i = 0; i < 20; ++i) drill.ask();
    for (std::uint64_t i = 0; i < pace.draws(1'000); ++i) {
        const std::uint32_t gone = some_server(drill);
        drill.leave(gone);
        drill.load();
        drill.ask();
        drill.end_one();
        drill.join(gone);
    }
    review_overloaded(drill, pace.draws(50));
    std::vector<Row> rows = drill.rows("10,000 nodes, 16 serve");
    rows.push_back({"10,000 nodes, 16 serve: leaves mended", static_cast<double>(drill.mended()), "", {}});
    return rows;
}

}  // namespace

std::vector<Row> bench_members(const Pace& pace) {
    std::vector<Row> rows = busy_crew(pace);
    for (auto* crew : {idle_crew, linked_crew})
        for (Row& row : crew(pace)) rows.push_back(std::move(row));
    return rows;
}

}  // namespace sy::bench
