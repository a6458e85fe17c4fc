#include "core/queue/registry.h"

#include <array>

#include "core/queue/fcfs.h"
#include "core/queue/priority.h"

namespace sy::queue {

namespace {

struct Line {
    std::string_view name;
    std::unique_ptr<const Order> (*make)();
};

template <class T>
std::unique_ptr<const Order> make() {
    return std::make_unique<const T>();
}

constexpr std::array kOrders{
    Line{"fcfs", make<Fcfs>},
    Line{"priority", make<Priority>},
};

}  // namespace

std::unique_ptr<const Order> make_order(std::string_view name) {
    for (const Line& line : kOrders)
        if (line.name == name) return line.make();
    return nullptr;
}

std::vector<std::string_view> order_names() {
    std::vector<std::string_view> names;
    for (const Line& line : kOrders) names.push_back(line.name);
    return names;
}

}  // namespace sy::queue
