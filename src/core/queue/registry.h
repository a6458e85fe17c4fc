// Registry: every order by the name users type. Simulator and live service take theirs from here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/queue/mlfq.h"
#include "core/queue/order.h"

namespace sy::queue {

/// What orders can be told. Each takes what concerns it.
struct OrderOptions {
    Duration aging{};  ///< priority: zero for none.
    Duration slice = 1h;
    std::vector<Duration> limits{3250s, 7200s};  ///< mlfq: growing.
    Service service = Service::seconds;
    Duration boost = kForever;
};

/// Nothing where no order has that name.
std::unique_ptr<Order> make_order(std::string_view name, const OrderOptions& options = {});

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> order_names();

}  // namespace sy::queue
