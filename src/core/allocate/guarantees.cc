#include "core/allocate/guarantees.h"

#include <fmt/core.h>

namespace sy::allocate {

std::optional<Error> find_broken_guarantee(const Situation& situation) {
    Amounts minima;
    for (const Party& party : situation.parties) minima += party.minimum;
    for (const Resource resource : kResources)
        if (minima[resource] > situation.capacity[resource])
            return Error{Fault::infeasible,
                         fmt::format("the minima add up to {} {}, and there are {}", minima[resource],
                                     name_of(resource), situation.capacity[resource]),
                         "lower some minimum"};
    return std::nullopt;
}

}  // namespace sy::allocate
