#include "core/pipeline/route/open_at.h"

namespace sy::pipeline {

OpenAt::OpenAt(const Columns& columns, std::uint32_t regions)
    : regions_(regions), begins_(columns.entries().size() * regions + 1) {
    const auto count = static_cast<std::uint32_t>(columns.columns().size());
    for (const Columns::Column& column : columns.columns())
        for (std::uint32_t e = column.first_entry; e < column.end_entry; ++e)
            ++begins_[std::size_t{e} * regions + column.region];
    std::uint32_t sum = 0;
    for (std::uint32_t& begin : begins_) begin = sum += begin;
    columns_.resize(sum);
    for (std::uint32_t c = count; c-- > 0;) {
        const Columns::Column& column = columns.columns()[c];
        for (std::uint32_t e = column.first_entry; e < column.end_entry; ++e)
            columns_[--begins_[std::size_t{e} * regions + column.region]] = c;
    }
}

}  // namespace sy::pipeline
