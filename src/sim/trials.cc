#include "sim/trials.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/place/registry.h"
#include "core/schedule/fit.h"

namespace sy::sim {

namespace {

Result<void> check_names(const std::string& field, const std::vector<std::string>& words,
                         const std::vector<std::string_view>& names) {
    for (const std::string& word : words)
        if (std::find(names.begin(), names.end(), word) == names.end())
            return fail(Fault::usage, fmt::format("{} does not know '{}'", field, word),
                        fmt::format("choose among: {}", fmt::join(names, ", ")));
    return {};
}

}  // namespace

Result<std::vector<Trial>> trials_of(const Grid& grid, std::string_view mark, std::span<const NodeSpec> nodes,
                                     const PolicyFor& policy_for) {
    if (auto known = check_names(fmt::format("{}fit", mark), grid.fits, schedule::fit_names()); !known)
        return tl::unexpected(known.error());
    if (auto known = check_names(fmt::format("{}place", mark), grid.places, place::placement_names()); !known)
        return tl::unexpected(known.error());
    std::vector<Trial> trials;
    for (const std::string& order : grid.orders)
        for (const std::string& fit : grid.fits)
            for (const std::string& place : grid.places) {
                auto policy = policy_for(order);
                if (!policy) return tl::unexpected(policy.error());
                policy->fit = fit;
                policy->place = place;
                if (const auto made = schedule::make_scheduler(*policy, nodes); !made)
                    return tl::unexpected(made.error());
                std::string name = order;
                if (grid.fits.size() > 1) name += " " + fit;
                if (grid.places.size() > 1) name += " " + place;
                trials.push_back({std::move(name), std::move(*policy)});
            }
    return trials;
}

}  // namespace sy::sim
