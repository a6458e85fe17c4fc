#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace sy::detail {

void check_failed(const char* file, int line, const char* demanded, const std::string& saw) {
    std::fprintf(stderr, "switchyard: internal check failed at %s:%d\n  demanded: %s\n  saw: %s\n", file, line,
                 demanded, saw.c_str());
    std::abort();
}

}  // namespace sy::detail
