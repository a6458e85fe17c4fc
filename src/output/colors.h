// Colors: one for each model, told apart by eye and by people who see fewer hues.
#pragma once

#include <cstddef>
#include <string>

namespace sy::output {

struct Color {
    std::string fill;
    std::string ink;  ///< For text on it.
};

/// Hues a golden angle apart, with five lightnesses in turn: of 55 models those with nearly the same hue differ in
/// lightness. No hue looks brighter than another of the same lightness.
Color color_of_model(std::size_t model);

}  // namespace sy::output
