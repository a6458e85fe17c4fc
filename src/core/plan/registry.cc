#include <array>

#include "core/plan/batch.h"
#include "core/plan/dynamic.h"
#include "core/plan/search.h"
#include "core/plan/strategy.h"

namespace sy::plan {

namespace {

struct Line {
    std::string_view name;
    std::unique_ptr<const Strategy> (*make)();
};

template <class T>
std::unique_ptr<const Strategy> make() {
    return std::make_unique<const T>();
}

constexpr std::array kStrategies{
    Line{"batch", make<BatchByModel>},
    Line{"dynamic", make<Dynamic>},
    Line{"search", make<Search>},
};

}  // namespace

std::unique_ptr<const Strategy> make_strategy(std::string_view name) {
    for (const Line& line : kStrategies)
        if (line.name == name) return line.make();
    return nullptr;
}

std::vector<std::string_view> strategy_names() {
    std::vector<std::string_view> names;
    for (const Line& line : kStrategies) names.push_back(line.name);
    return names;
}

}  // namespace sy::plan
