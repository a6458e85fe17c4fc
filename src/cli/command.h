// Command: one thing `switchyard` can do, described well enough to parse it, to help with it and to complete it.
//
// A command's file makes one of these and nothing else of it is visible. Parsing is behind parse.h, so that no command
// compiles the heavy headers of the argument parser.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sy::cli {

/// Exit codes of every command: docs/exit-codes.md.
enum class Exit : int {
    done = 0,
    failed = 1,
    usage = 2,
    invalid_input = 3,
    unreachable = 4,
    tasks_failed = 5,
    infeasible = 6,
    timed_out = 124,
    interrupted = 130,
};

struct Option {
    std::string name;         ///< "--seed", or "SHELL" for one that is told by its position.
    std::string placeholder;  ///< What stands for the value in the help; empty for a switch.
    std::string help;
    std::variant<bool*, std::uint64_t*, double*, std::string*> target;
    std::vector<std::string> choices;  ///< Where only these are allowed.
    bool required = false;
    double least = 0;            ///< Of a number.
    std::optional<double> most;  ///< Of a number.
    bool may_be_empty = false;   ///< Its text, as one that takes back a setting.

    bool is_positional() const { return !name.starts_with("-"); }
};

/// One whose number is not left out by saying 0.
inline Option from(double least, Option option) {
    option.least = least;
    return option;
}
inline Option between(double least, double most, Option option) {
    option.least = least;
    option.most = most;
    return option;
}

struct Command {
    std::string name;
    std::string summary;   ///< One line.
    std::string examples;  ///< Shown below the options.
    std::vector<Option> options;
    std::function<Exit()> run;
    std::vector<std::string>* rest = nullptr;  ///< Takes what stands after `--`, where that is meant for somebody else.
};

/// Prints the error and its fix to stderr; the exit code that belongs to it.
Exit complain(const Error& error);

}  // namespace sy::cli
