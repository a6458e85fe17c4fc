// Command: what a process is to run, and in which surroundings. Nothing is inherited that is not named here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "service/process/limits.h"

namespace sy::process {

struct Command {
    std::vector<std::string> argv;  ///< The program, searched in PATH of the environment, and its arguments. No shell.
    std::vector<std::pair<std::string, std::string>> environment;
    std::string folder = "/";
    std::string input;  ///< For its standard input.
    Limits limits = {};
    std::string account = {};  ///< Whom to run as; empty: whoever starts it.
    bool may_be_root = false;  ///< Where that account may be root's.
};

/// How the process itself ended.
struct Ending {
    int exit_code = 0;             ///< Where it was not a signal.
    int signal = 0;                ///< 0: none.
    double cpu_s = 0;              ///< Its own, and of those it waited for.
    std::uint64_t peak_bytes = 0;  ///< Memory of the largest of them.

    bool success() const { return signal == 0 && exit_code == 0; }
};

}  // namespace sy::process
