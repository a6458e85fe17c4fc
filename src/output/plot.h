// Plot: lines over an axis, and how lines are told apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "output/axis.h"

namespace sy::output {

/// From 0, left or bottom, to 1.
struct Point {
    double x = 0;
    double y = 0;
};

struct Line {
    std::size_t series = 0;  ///< Picks colour and dashes.
    std::string name;
    std::vector<Point> points;
};

struct Plot {
    std::string says;  ///< For those who cannot see it.
    std::vector<Mark> across;
    std::vector<Mark> up;
    std::vector<Line> lines;
};

/// The colour and the dashes of a series, as classes of the page's style.
std::string series_class(std::size_t series);

/// A short piece of its line, for a legend.
std::string swatch_html(std::size_t series);

}  // namespace sy::output
