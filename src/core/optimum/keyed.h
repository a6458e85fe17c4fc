// Keyed: numbers by key, sorted in a few passes where there are many.
#pragma once

#include <cstdint>
#include <vector>

namespace sy::optimum {

struct Keyed {
    std::int64_t key = 0;  ///< Not negative.
    std::uint32_t index = 0;
};

/// By key, equal ones by where they stood. `room` is room to work in.
void sort_by_key(std::vector<Keyed>& items, std::vector<Keyed>& room);

}  // namespace sy::optimum
