// Checks: what must be true whatever the input, or we are wrong.
//
// They stay on in release. A failed check says where it stands, what it demanded and what it saw, and ends the process:
// a scheduler that goes on with a broken state would hand one GPU to two tasks.
// Never for bad input or a failing world: that is what Result is for.
#pragma once

#include <string>

#include <fmt/core.h>

namespace sy::detail {
[[noreturn]] void check_failed(const char* file, int line, const char* demanded, const std::string& saw);
}

#define SY_CHECK(condition, ...)                                                                    \
    do {                                                                                            \
        if (!(condition)) [[unlikely]]                                                              \
            ::sy::detail::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    } while (false)
