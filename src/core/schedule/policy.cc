#include "core/schedule/policy.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "core/place/registry.h"
#include "core/schedule/fit.h"
#include "core/schedule/greedy.h"
#include "core/schedule/steady.h"

namespace sy::schedule {

namespace {

/// Makes any order interrupt, by the ranks it gives.
class Interrupting final : public queue::Order {
public:
    explicit Interrupting(std::unique_ptr<queue::Order> order) : order_(std::move(order)) {}

    queue::Rank rank(const queue::Candidate& task) override { return order_->rank(task); }
    void started(const queue::Candidate& task, queue::Rank rank) override { order_->started(task, rank); }
    void ended(const queue::Candidate& task, Duration ran) override { order_->ended(task, ran); }
    bool interrupts() const override { return true; }

private:
    std::unique_ptr<queue::Order> order_;
};

tl::unexpected<Error> unknown(std::string_view what, std::string_view name,
                              const std::vector<std::string_view>& names) {
    return fail(Fault::invalid_input, fmt::format("no {} is called '{}'", what, name),
                fmt::format("choose one of: {}", fmt::join(names, ", ")));
}

struct Parts {
    std::unique_ptr<queue::Order> order;
    std::unique_ptr<const Fit> fit;
    std::unique_ptr<place::Placement> placement;
};

/// "scored" prefers GPUs by what a live cluster knows of them; in a trace there is nothing to prefer.
constexpr std::string_view kScored = "scored";

/// Live, only those that are taken there.
std::vector<std::string_view> orders(bool live) {
    std::vector<std::string_view> names = queue::order_names();
    if (live) std::erase_if(names, [](std::string_view name) { return queue::make_order(name)->interrupts(); });
    return names;
}
std::vector<std::string_view> placements(bool live) {
    std::vector<std::string_view> names = place::placement_names();
    if (!live) return names;
    std::erase_if(names, [](std::string_view name) { return place::make_placement(name)->pools(); });
    names.push_back(kScored);
    return names;
}

Result<Parts> parts_of(const Policy& policy, bool live = false) {
    Parts parts{queue::make_order(policy.order, policy.options), make_fit(policy.fit),
                place::make_placement(policy.place)};
    if (live && policy.place == kScored) parts.placement = std::make_unique<place::Scored>(policy.weights);
    if (!parts.order) return unknown("order", policy.order, orders(live));
    if (!parts.placement) return unknown("placement", policy.place, placements(live));
    if (!parts.fit) return unknown("fit", policy.fit, fit_names());
    if (policy.preempt && !parts.order->interrupts())
        parts.order = std::make_unique<Interrupting>(std::move(parts.order));
    return parts;
}

tl::unexpected<Error> refused(std::string message, std::string hint) {
    return fail(Fault::invalid_input, std::move(message), std::move(hint));
}

}  // namespace

Result<std::unique_ptr<Scheduler>> make_scheduler(const Policy& policy, std::span<const NodeSpec> nodes) {
    auto parts = parts_of(policy);
    if (!parts) return tl::unexpected(parts.error());
    if (policy.neighbours && parts->placement->pools())
        return refused(fmt::format("'{}' knows no nodes, so no GPUs are neighbours in it", policy.place),
                       "choose another, for example --place consolidate");
    if (policy.neighbours && parts->order->interrupts())
        return refused(
            fmt::format("'{}' interrupts, and who is interrupted may not find neighbours again", policy.order),
            "leave neighbours out");
    if (parts->order->interrupts())
        return std::make_unique<Greedy>(std::move(parts->order), std::move(parts->placement), nodes,
                                        policy.restart_cost);
    place::Floor floor = place::floor_for(*parts->placement, nodes, policy.neighbours);
    return std::make_unique<Steady>(std::move(parts->order), std::move(parts->fit), std::move(parts->placement),
                                    std::move(floor));
}

Result<Steady> make_live_scheduler(const Policy& policy) {
    auto parts = parts_of(policy, true);
    if (!parts) return tl::unexpected(parts.error());
    if (parts->order->interrupts())
        return refused(fmt::format("'{}' interrupts, and a live task cannot be put aside", policy.order),
                       "try it with `switchyard simulate`; live, choose an order that lets tasks end");
    if (!parts->order->can_be_saved())
        return refused(
            fmt::format("what '{}' has learned with this predictor cannot be kept over a restart", policy.order),
            "choose the rolling predictor");
    if (parts->placement->pools())
        return refused(fmt::format("'{}' knows no nodes", policy.place),
                       "choose another, for example --place consolidate");
    return Steady(std::move(parts->order), std::move(parts->fit), std::move(parts->placement), place::Floor{});
}

std::uint64_t fingerprint(const Policy& policy) {
    return digest_of(fmt::format("{} {} {}", policy.order, policy.options.aging.count(), policy.place));
}

}  // namespace sy::schedule
