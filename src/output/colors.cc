// Colours are picked in Oklab, where equal lightness looks equally light, and written as sRGB, which every viewer
// knows.
#include "output/colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace sy::output {

namespace {

constexpr double kChroma = 0.115;
constexpr double kGoldenAngle = 137.508;
constexpr std::array kLightness{0.57, 0.70, 0.53, 0.76, 0.64};
constexpr double kLightEnoughForDarkInk = 0.62;

int channel(double linear) {
    const double clamped = std::clamp(linear, 0.0, 1.0);
    const double shown = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
    return static_cast<int>(std::lround(255 * shown));
}

std::string hex_of_oklch(double lightness, double chroma, double degrees) {
    const double a = chroma * std::cos(degrees * std::numbers::pi / 180);
    const double b = chroma * std::sin(degrees * std::numbers::pi / 180);
    const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return fmt::format("#{:02x}{:02x}{:02x}", channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                       channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                       channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
}

}  // namespace

Color color_of_model(std::size_t model) {
    const double lightness = kLightness.at(model % kLightness.size());
    const auto hue = std::fmod(250 + kGoldenAngle * static_cast<double>(model), 360);
    return {hex_of_oklch(lightness, kChroma, hue), lightness > kLightEnoughForDarkInk ? "#14171a" : "#ffffff"};
}

}  // namespace sy::output
