#include "core/schedule/policy.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

}  // namespace

Result<std::unique_ptr<Scheduler>> make_scheduler(const Policy& policy, std::span<const NodeSpec> nodes) {
    auto order = queue::make_order(policy.order, policy.options);
    if (!order) return unknown("order", policy.order, queue::order_names());
    auto placement = place::make_placement(policy.place);
    if (!placement) return unknown("placement", policy.place, place::placement_names());
    auto fit = make_fit(policy.fit);
    if (!fit) return unknown("fit", policy.fit, fit_names());
    if (policy.preempt && !order->interrupts()) order = std::make_unique<Interrupting>(std::move(order));
    if (order->interrupts())
        return std::make_unique<Greedy>(std::move(order), std::move(placement), nodes, policy.restart_cost);
    return std::make_unique<Steady>(std::move(order), std::move(fit), std::move(placement), nodes);
}

}  // namespace sy::schedule
