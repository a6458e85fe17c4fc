#include "output/simulate_html.h"
namespace sy::output {
std::string simulate_html(const Scene&, std::span<const measure::Study>) { return {}; }
}  // namespace sy::output
