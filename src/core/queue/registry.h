// Registry: every order by the name users type. Simulator and live service take theirs from here.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/queue/order.h"

namespace sy::queue {

/// Nothing where no order has that name.
std::unique_ptr<const Order> make_order(std::string_view name);

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> order_names();

}  // namespace sy::queue
