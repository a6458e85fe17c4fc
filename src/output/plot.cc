#include "output/plot.h"

#include <fmt/format.h>

namespace sy::output {

namespace {

constexpr std::size_t kColors = 6;
constexpr std::size_t kDashes = 3;

}  // namespace

std::string series_class(std::size_t series) {
    return fmt::format("s{} d{}", series % kColors, series / kColors % kDashes);
}

std::string swatch_html(std::size_t series) {
    return fmt::format(
        "<svg class=\"swatch\" viewBox=\"0 0 22 8\" aria-hidden=\"true\"><path class=\"{}\" d=\"M1 4H21\"/></svg>",
        series_class(series));
}

}  // namespace sy::output
