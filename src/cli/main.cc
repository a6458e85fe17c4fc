#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/parse.h"

int main(int count, char** words) {
    try {
        const std::vector<std::string> arguments(words + 1, words + count);
        return static_cast<int>(sy::cli::run_command_line(sy::cli::all_commands(), arguments));
    } catch (const std::exception& e) {  // out of memory, stdout gone: nothing below throws on purpose
        std::fprintf(stderr, "switchyard: %s\n", e.what());
        return static_cast<int>(sy::cli::Exit::failed);
    }
}
