#include "cli/command.h"

#include <cstdio>

#include <fmt/core.h>

namespace sy::cli {

Exit complain(const Error& error) {
    fmt::print(stderr, "switchyard: {}\n", error.message);
    if (!error.fix.empty()) fmt::print(stderr, "  fix: {}\n", error.fix);
    switch (error.fault) {
        case Fault::failed: return Exit::failed;
        case Fault::usage: return Exit::usage;
        case Fault::invalid_input: return Exit::invalid_input;
        case Fault::infeasible: return Exit::infeasible;
        case Fault::unreachable: return Exit::unreachable;
    }
    return Exit::failed;
}

}  // namespace sy::cli
