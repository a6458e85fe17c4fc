// The scripts of the HTML reports, which are those of the service's page: built from page/src and embedded by
// cmake/embed_text.cmake. Both import the same chart.js.
#pragma once

#include <string>
#include <string_view>

namespace sy::output {

/// Files of page/dist as they are.
std::string_view report_script();
std::string_view chart_script();
std::string_view uplot_script();

/// The script elements of a report that says `const plan = {…};` or `const simulated = {…};`. A module imports its
/// parts by name, and an import map says that the part is in the page itself: nothing is fetched.
std::string report_scripts(std::string_view says);

/// Text for a script: no name may end it, nor open a comment in it.
std::string safe_in_script(std::string_view json);

}  // namespace sy::output
