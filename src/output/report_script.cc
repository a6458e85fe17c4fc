#include "output/report_script.h"

#include <fmt/format.h>

#include "output/packed.h"

namespace sy::output {

std::string report_scripts(std::string_view says) {
    return fmt::format(
        "<script type=\"importmap\">{{\"imports\":{{\"./chart.js\":\"data:text/javascript;base64,{}\"}}}}</script>\n"
        "<script type=\"module\">\n{}\n{}</script>\n",
        base64(std::string(chart_script())), says, report_script());
}

std::string safe_in_script(std::string_view json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

}  // namespace sy::output
