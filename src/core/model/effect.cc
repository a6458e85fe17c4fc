#include "core/model/effect.h"

#include <type_traits>

namespace sy {

std::optional<ToWorker> to_worker(const Effect& effect) {
    return std::visit(
        [](const auto& e) -> std::optional<ToWorker> {
            if constexpr (std::is_constructible_v<ToWorker, decltype(e)>) {
                return ToWorker(e);
            } else {
                return std::nullopt;
            }
        },
        effect);
}

}  // namespace sy
