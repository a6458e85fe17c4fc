#include "core/queue/registry.h"

#include <array>

#include "base/named.h"
#include "core/queue/fcfs.h"
#include "core/queue/priority.h"

namespace sy::queue {

namespace {

constexpr std::array kOrders{
    named<Order, Fcfs>("fcfs"),
    named<Order, Priority>("priority"),
};

}  // namespace

std::unique_ptr<const Order> make_order(std::string_view name) {
    return make_named(kOrders, name);
}

std::vector<std::string_view> order_names() {
    return names_of(kOrders);
}

}  // namespace sy::queue
