// OpenAt: which columns can be entered where, region by region.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pipeline/route/to_go.h"

namespace sy::pipeline {

class OpenAt {
public:
    OpenAt() = default;
    OpenAt(const Columns& columns, std::uint32_t regions);

    /// Those of the region that can be entered there, the farthest-reaching last.
    std::span<const std::uint32_t> columns(std::uint32_t region, std::uint32_t entry) const {
        const std::size_t at = std::size_t{entry} * regions_ + region;
        return std::span(columns_).subspan(begins_[at], begins_[at + 1] - begins_[at]);
    }

private:
    std::uint32_t regions_ = 0;
    std::vector<std::uint32_t> begins_;  ///< By entry and region, and one more.
    std::vector<std::uint32_t> columns_;
};

}  // namespace sy::pipeline
