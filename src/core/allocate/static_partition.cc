#include "core/allocate/static_partition.h"

#include <fmt/core.h>

namespace sy::allocate {

Result<Allotment> StaticPartition::divide(const Situation& situation) const {
    Amounts parts;
    for (const Party& party : situation.parties) parts += party.partition;
    for (const Resource resource : kResources)
        if (parts[resource] > situation.capacity[resource])
            return fail(Fault::infeasible,
                        fmt::format("the partitions add up to {} {}, and there are {}", parts[resource],
                                    name_of(resource), situation.capacity[resource]));
    Allotment allotment;
    for (const Party& party : situation.parties) {
        Portion& portion = allotment.portions.emplace_back();
        portion.amounts = smaller_of(party.want(), party.partition);
        for (const Resource resource : kResources)
            if (!portion.scarce && portion.amounts[resource] < party.want()[resource]) portion.scarce = resource;
        if (portion.scarce) portion.ceiling = Ceiling::partition;
    }
    return allotment;
}

}  // namespace sy::allocate
