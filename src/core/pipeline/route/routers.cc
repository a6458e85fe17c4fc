#include "core/pipeline/route/routers.h"

#include <array>

#include "base/named.h"
#include "core/pipeline/route/route_dp.h"
#include "core/pipeline/route/route_flow.h"
#include "core/pipeline/route/route_rr.h"

namespace sy::pipeline {

namespace {

constexpr std::array kRouters{
    named<Router, DpRouter>("dp"),
    named<Router, FlowRouter>("flow"),
    named<Router, RrRouter>("rr"),
};

}  // namespace

std::unique_ptr<Router> make_router(std::string_view name) {
    return make_named(kRouters, name);
}

std::vector<std::string_view> router_names() {
    return names_of(kRouters);
}

}  // namespace sy::pipeline
