// The script of the HTML chart, which is the timeline of the service's page: built from page/src/report and embedded by
// cmake/embed_text.cmake. It stands after `const plan = {…};`, in the same script.
#pragma once

#include <string_view>

namespace sy::output {

std::string_view report_script();

}  // namespace sy::output
