#include "core/pipeline/members/describe.h"

#include <string_view>

#include <fmt/format.h>

namespace sy::pipeline {

namespace {

std::string_view text(NoRoute::Cause cause) {
    switch (cause) {
        case NoRoute::Cause::uncovered: return "nobody serves";
        case NoRoute::Cause::full: return "nobody has room for another request at";
        case NoRoute::Cause::unweighted: return "no path leads through";
    }
    return "";
}

}  // namespace

std::string describe(const NoRoute& obstacle) {
    const Range layers = obstacle.layers;
    if (layers.size() == 1) return fmt::format("{} layer {}", text(obstacle.cause), layers.first);
    return fmt::format("{} layers {} to {}", text(obstacle.cause), layers.first, layers.end - 1);
}

}  // namespace sy::pipeline
