#include "core/place/registry.h"

#include <array>

#include "base/named.h"
#include "core/place/best_fit.h"
#include "core/place/consolidate.h"
#include "core/place/count.h"
#include "core/place/first_fit.h"
#include "core/place/fragmentation.h"
#include "core/place/spread.h"

namespace sy::place {

namespace {

constexpr std::array kPlacements{
    named<Placement, BestFit>("best-fit"),
    named<Placement, Consolidate>("consolidate"),
    named<Placement, Count>("count"),
    named<Placement, FirstFit>("first-fit"),
    named<Placement, Fragmentation>("fragmentation"),
    named<Placement, Spread>("spread"),
};

}  // namespace

std::unique_ptr<Placement> make_placement(std::string_view name) {
    return make_named(kPlacements, name);
}

std::vector<std::string_view> placement_names() {
    return names_of(kPlacements);
}

}  // namespace sy::place
