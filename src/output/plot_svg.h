// A plot as a picture of its own, for documents: light and dark by itself, with its legend.
#pragma once

#include <string>

#include "output/plot.h"

namespace sy::output {

std::string plot_svg(const Plot& plot);

}  // namespace sy::output
