#include "core/allocate/policy.h"

#include <limits>

#include "base/check.h"

namespace sy::allocate {

namespace {

std::int64_t whole_tasks(const Party& party, const Amounts& amounts) {
    std::int64_t tasks = party.tasks;
    for (const Resource resource : kResources)
        if (party.task[resource] > 0) tasks = std::min(tasks, amounts[resource] / party.task[resource]);
    return tasks;
}

}  // namespace

Result<Allotment> Policy::allot(const Situation& situation) const {
    if (auto fault = find_fault(situation)) return tl::unexpected<Error>(*std::move(fault));
    if (!situation.groups.empty() && !knows_groups())
        return fail(Fault::invalid_input, "this policy knows no groups", "use drf or drf-whole");
    auto allotment = divide(situation);
    if (!allotment) return allotment;
    SY_CHECK(allotment->portions.size() == situation.parties.size(), "{} portions for {} parties",
             allotment->portions.size(), situation.parties.size());
    const Amounts total = allotment->total();
    for (const Resource resource : kResources)
        SY_CHECK(total[resource] <= situation.capacity[resource], "{} of {} {} handed out", total[resource],
                 situation.capacity[resource], name_of(resource));
    for (std::size_t i = 0; i < situation.parties.size(); ++i)
        allotment->portions[i].tasks = whole_tasks(situation.parties[i], allotment->portions[i].amounts);
    return allotment;
}

}  // namespace sy::allocate
