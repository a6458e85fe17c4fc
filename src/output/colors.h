// Colors: one for each model, told apart by eye and by people who see fewer hues.
#pragma once

#include <string>

#include <fmt/core.h>

namespace sy::output {

/// Hues a golden angle apart, with three lightnesses in turn, so that neighbours differ in both.
inline std::string color_of_model(std::size_t model) {
    const auto hue = static_cast<int>((model * 137U + 210U) % 360U);
    const int lightness = 46 + static_cast<int>(model % 3U) * 11;
    return fmt::format("hsl({} 58% {}%)", hue, lightness);
}

}  // namespace sy::output
