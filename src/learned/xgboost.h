// Trees: gradient-boosted regression trees, trained once and then asked. The one door to XGBoost (1.7, by its C
// interface): no other file sees the library.
//
// One thread and a fixed seed, so the same rows give the same trees. A value of NaN in a row means that it is missing.
// Every failure of the library is an Error with its own words; nothing is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"

namespace sy::learned {

struct TreeOptions {
    std::uint32_t rounds = 40;  ///< How many trees.
    std::uint32_t depth = 3;
    double rate = 0.1;  ///< How much of the error each tree takes away.
    std::uint32_t seed = 1;
};

class Trees {
public:
    /// Rows one after another, each `columns` wide, and what each should give. Refuses rows that do not come out even,
    /// none at all, and options the library refuses.
    static Result<Trees> train(std::span<const float> rows, std::size_t columns, std::span<const float> targets,
                               const TreeOptions& options);

    /// Refuses a row of another width.
    Result<float> predict(std::span<const float> row) const;

private:
    /// The library's handle of a model.
    using Handle = std::unique_ptr<void, void (*)(void*)>;

    Trees(Handle booster, std::size_t columns);

    Handle booster_;
    std::size_t columns_;
};

}  // namespace sy::learned
