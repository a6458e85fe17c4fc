#include <array>

#include "base/named.h"
#include "core/plan/batch.h"
#include "core/plan/dynamic.h"
#include "core/plan/exact.h"
#include "core/plan/heft.h"
#include "core/plan/search.h"
#include "core/plan/strategy.h"

namespace sy::plan {

namespace {

constexpr std::array kStrategies{
    named<const Strategy, BatchByModel>("batch"), named<const Strategy, Dynamic>("dynamic"),
    named<const Strategy, Exact>("exact"),        named<const Strategy, Heft>("heft"),
    named<const Strategy, Search>("search"),
};

}  // namespace

std::unique_ptr<const Strategy> make_strategy(std::string_view name) {
    return make_named(kStrategies, name);
}

std::vector<std::string_view> strategy_names() {
    return names_of(kStrategies);
}

}  // namespace sy::plan
