// Plot: lines over an axis, drawn so that the page may be as wide as it likes: the lines stretch, the writing does not.
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

/// Strips stand below one another, each filled down to its axis; the lowest has the marks for all.
enum class Shape { full, strip, lowest_strip };

struct Plot {
    std::string says;  ///< For those who cannot see it.
    std::vector<Mark> across;
    std::vector<Mark> up;
    std::vector<Line> lines;
    Shape shape = Shape::full;
    std::string reading;  ///< Attributes from which the page's script reads values back.
};

std::string plot_html(const Plot& plot);

/// The colour and the dashes of a series, as classes of the page's style.
std::string series_class(std::size_t series);

/// A short piece of its line, for a legend.
std::string swatch_html(std::size_t series);

}  // namespace sy::output
