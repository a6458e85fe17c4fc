#include "core/queue/registry.h"

#include <array>

#include "core/queue/edf.h"
#include "core/queue/fair.h"
#include "core/queue/fcfs.h"
#include "core/queue/las.h"
#include "core/queue/priority.h"
#include "core/queue/round_robin.h"
#include "core/queue/sjf.h"
#include "core/queue/smallest.h"
#include "core/queue/srsf.h"
#include "core/queue/srtf.h"

namespace sy::queue {

namespace {

using Options = const OrderOptions&;
using Made = std::unique_ptr<Order>;

struct Line {
    std::string_view name;
    Made (*make)(Options);
};

template <class T>
Made plain(Options) {
    return std::make_unique<T>();
}

constexpr std::array kOrders{
    Line{"edf", plain<Edf>},
    Line{"fair", plain<Fair>},
    Line{"fcfs", plain<Fcfs>},
    Line{"las", [](Options o) -> Made { return std::make_unique<Las>(o.slice, o.service); }},
    Line{"mlfq", [](Options o) -> Made { return std::make_unique<Mlfq>(o.limits, o.service, o.boost); }},
    Line{"priority", [](Options o) -> Made { return std::make_unique<Priority>(o.aging); }},
    Line{"rr", [](Options o) -> Made { return std::make_unique<RoundRobin>(o.slice); }},
    Line{"sjf", plain<Sjf>},
    Line{"smallest", plain<Smallest>},
    Line{"srsf", plain<Srsf>},
    Line{"srtf", plain<Srtf>},
};

}  // namespace

std::unique_ptr<Order> make_order(std::string_view name, Options options) {
    for (const Line& line : kOrders)
        if (line.name == name) return line.make(options);
    return nullptr;
}

std::vector<std::string_view> order_names() {
    std::vector<std::string_view> names;
    for (const Line& line : kOrders) names.push_back(line.name);
    return names;
}

}  // namespace sy::queue
