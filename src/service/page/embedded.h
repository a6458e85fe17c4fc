// The files of the page as they lie in the binary. Written by cmake/embed.cmake when it is built.
#pragma once

#include <span>
#include <string_view>

namespace sy::page {

struct Embedded {
    std::string_view path;  ///< "/page.js"
    std::string_view etag;  ///< Of the content, with its quotes.
    std::string_view gzip;
};

std::span<const Embedded> embedded();

}  // namespace sy::page
