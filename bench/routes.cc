// Routes through nodes that hold layers: routes a second for each router while the load changes with every request, one
// that begins and one that ends, and what finding disjoint pipelines takes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/pipeline/route/disjoint.h"
#include "core/pipeline/route/routers.h"

namespace sy::bench {

namespace {

using pipeline::Layer;
using pipeline::NodeIndex;
using pipeline::Shards;

constexpr Layer kLayers = 80;
constexpr std::uint32_t kRoutesInFlight = 4;  ///< On every node, about.

/// How layers lie on nodes.
enum class Ground {
    pipelines,  ///< Eight stages each, cut at the same layers.
    drawn,      ///< 8 to 24 layers anywhere.
    regions,    ///< The same in four regions, every link known.
    measured,   ///< Likewise, each link measured for itself: a fifth above or below its region's time.
    plane,      ///< The same, nodes anywhere in a plane and links as long as they are.
    many,       ///< The same in 32 regions.
    covering,   ///< Five stages, each held by a fifth of the nodes, links measured.
    deep,       ///< Forty stages, links measured.
    few_known,  ///< Drawn layers, sixteen links of each node known.
};

constexpr std::array kGrounds{Ground::pipelines, Ground::drawn,    Ground::regions, Ground::measured, Ground::plane,
                              Ground::many,      Ground::covering, Ground::deep,    Ground::few_known};

std::string_view name_of(Ground ground) {
    switch (ground) {
        case Ground::pipelines: return "pipelines of 8";
        case Ground::drawn: return "drawn layers";
        case Ground::regions: return "four regions";
        case Ground::measured: return "links measured";
        case Ground::plane: return "in a plane";
        case Ground::many: return "32 regions";
        case Ground::covering: return "5 stages, measured";
        case Ground::deep: return "40 stages, measured";
        case Ground::few_known: return "few links known";
    }
    return "";
}

Duration milliseconds(double ms) {
    return Duration(static_cast<std::int64_t>(ms * 1e6));
}

/// Of links from and to everybody, in turn.
class LinkTimes {
public:
    LinkTimes(Ground ground, NodeIndex nodes) : ground_(ground) {
        for (NodeIndex node = 0; node < nodes; ++node) at_.emplace_back(random_.uniform(), random_.uniform());
    }

    Duration next(NodeIndex from, NodeIndex to) {
        if (ground_ == Ground::regions) return from % 4 == to % 4 ? 1ms : 20ms;
        if (ground_ == Ground::many) return from % 32 == to % 32 ? 1ms : 5ms + 1ms * ((from % 32 + to % 32) * 7 % 16);
        const double measured = 0.8 + 0.4 * random_.uniform();
        if (ground_ != Ground::plane) return milliseconds(measured * (from % 4 == to % 4 ? 1 : 20));
        const double far = std::hypot(at_[from].first - at_[to].first, at_[from].second - at_[to].second);
        return milliseconds(0.1 + measured * far * 40);
    }
    bool known(NodeIndex nodes) { return ground_ != Ground::few_known || random_.below(nodes) < 16; }

private:
    Ground ground_;
    Random random_{7};
    std::vector<std::pair<double, double>> at_;
};

pipeline::Hops hops_of(Ground ground, NodeIndex nodes) {
    std::vector<pipeline::Hops::Known> known;
    LinkTimes times(ground, nodes);
    if (ground >= Ground::regions)
        for (NodeIndex from = 0; from < nodes; ++from)
            for (NodeIndex to = 0; to < nodes; ++to)
                if (from != to && times.known(nodes))
                    known.push_back({from, to, {times.next(from, to), 100'000 * pipeline::kTokenPerSecond}});
    return {std::move(known), {1ms, pipeline::kNoLimit}, {2ms, pipeline::kNoLimit}};
}

/// The node's part of a model cut in so many equal ones.
pipeline::Range part(NodeIndex node, NodeIndex parts) {
    return {node % parts * kLayers / parts, (node % parts + 1) * kLayers / parts};
}

pipeline::Range draw_range(Ground ground, NodeIndex node, Random& random) {
    if (ground == Ground::pipelines) return part(node, 8);
    if (ground == Ground::covering) return part(node, 5);
    if (ground == Ground::deep) return part(node, 40);
    const auto size = static_cast<Layer>(random.between(8, 24));
    const auto last = static_cast<std::int64_t>(kLayers - size);
    // A third lies at either end, or few nodes would begin and end the model.
    const std::int64_t first = std::clamp(random.between(-last, 2 * last), std::int64_t{0}, last);
    return {static_cast<Layer>(first), static_cast<Layer>(first) + size};
}

Shards draw_shards(Ground ground, NodeIndex nodes) {
    Random random(1);
    Shards shards(kLayers, hops_of(ground, nodes));
    for (NodeIndex node = 0; node < nodes; ++node) {
        const Duration per_layer = random.between(100us, 400us);
        shards.hold(node, {draw_range(ground, node, random), per_layer, 16, 64});
    }
    return shards;
}

class RoutedTraffic {
public:
    RoutedTraffic(std::string_view router, Shards shards)
        : router_(pipeline::make_router(router)), shards_(std::move(shards)) {
        std::vector<pipeline::WeightedPath> paths;
        for (auto& found : pipeline::disjoint_pipelines(shards_)) paths.push_back({std::move(found), 1'000'000});
        router_->weigh(std::move(paths));
        for (std::uint64_t taken = 0; taken < std::uint64_t{kRoutesInFlight} * shards_.size() && refused_ == 0;)
            taken += begin();
    }

    double routes_per_second(std::uint64_t routes) {
        const Stopwatch watch;
        for (std::uint64_t i = 0; i < routes; ++i) step();
        return static_cast<double>(routes) / watch.seconds();
    }

    /// The bench is of no use where anything was.
    std::uint64_t refused() const { return refused_; }

private:
    std::size_t begin() {
        pipeline::RouteAnswer answer = router_->route(shards_, {});
        auto* route = std::get_if<pipeline::Route>(&answer);
        if (route == nullptr) {
            ++refused_;
            return 0;
        }
        shards_.begin(*route);
        under_way_.push_back(std::move(*route));
        return under_way_.back().stages.size();
    }
    void step() {
        begin();
        std::swap(under_way_[oldest_], under_way_.back());
        shards_.end(under_way_.back());
        under_way_.pop_back();
        oldest_ = oldest_ + 1 >= under_way_.size() ? 0 : oldest_ + 1;
    }

    std::unique_ptr<pipeline::Router> router_;
    Shards shards_;
    std::vector<pipeline::Route> under_way_;
    std::size_t oldest_ = 0;
    std::uint64_t refused_ = 0;
};

Row row_of(std::string_view router, Ground ground, NodeIndex nodes, std::uint64_t routes) {
    RoutedTraffic traffic(router, draw_shards(ground, nodes));
    const double rate = traffic.routes_per_second(routes);
    const std::string what = fmt::format("route {} over {} nodes, {}", router, nodes, name_of(ground));
    if (traffic.refused() > 0) return {what + ": something was refused", 0, "routes/s", 1};
    return {what, rate, "routes/s", router == "dp" ? std::optional(nodes == 128 ? 500e3 : 50e3) : std::nullopt};
}

double ms_for_disjoint(Ground ground, int times) {
    const Shards shards = draw_shards(ground, 128);
    std::size_t found = 0;
    const Stopwatch watch;
    for (int i = 0; i < times; ++i) found += pipeline::disjoint_pipelines(shards).size();
    return found == 0 ? 0 : watch.seconds() * 1e3 / times;
}

}  // namespace

std::vector<Row> bench_routes(const Pace& pace) {
    std::vector<Row> rows;
    for (const NodeIndex nodes : {128U, 1'024U})
        for (const Ground ground : kGrounds)
            rows.push_back(row_of("dp", ground, nodes, pace.draws(nodes == 128 ? 500'000 : 100'000)));
    rows.push_back(row_of("flow", Ground::pipelines, 128, pace.draws(500'000)));
    rows.push_back(row_of("rr", Ground::pipelines, 128, pace.draws(500'000)));
    for (const Ground ground : kGrounds)
        rows.push_back({fmt::format("disjoint pipelines of 128 nodes, {}", name_of(ground)),
                        ms_for_disjoint(ground, static_cast<int>(pace.draws(50))), "ms", 10, Aim::at_most});
    return rows;
}

}  // namespace sy::bench
