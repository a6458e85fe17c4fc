#include <array>

#include "base/named.h"
#include "core/allocate/auction.h"
#include "core/allocate/drf.h"
#include "core/allocate/elastic.h"
#include "core/allocate/max_min.h"
#include "core/allocate/policy.h"
#include "core/allocate/priority.h"
#include "core/allocate/proportional.h"
#include "core/allocate/static_partition.h"

namespace sy::allocate {

namespace {

constexpr std::array kPolicies{
    named<Policy, Auction>("auction"),
    named<Policy, Drf>("drf"),
    named<Policy, DrfWhole>("drf-whole"),
    named<Policy, Elastic>("elastic"),
    named<Policy, MaxMin>("max-min"),
    named<Policy, Priority>("priority"),
    named<Policy, Proportional>("proportional"),
    named<Policy, StaticPartition>("static"),
};

}  // namespace

std::unique_ptr<const Policy> make_policy(std::string_view name) {
    return make_named(kPolicies, name);
}

std::vector<std::string_view> policy_names() {
    return names_of(kPolicies);
}

}  // namespace sy::allocate
