#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/memory_at_hand.h"
#include "cli/parse.h"

namespace {

bool lives_long(std::string_view command) {
    return command == "serve" || command == "worker";
}

}  // namespace

int main(int count, char** words) {
    try {
        if (count > 1 && lives_long(words[1])) sy::cli::keep_memory_at_hand(words);
        const std::vector<std::string> arguments(words + 1, words + count);
        return static_cast<int>(sy::cli::run_command_line(sy::cli::all_commands(), arguments));
    } catch (const std::exception& e) {  // out of memory, stdout gone: nothing below throws on purpose
        std::fprintf(stderr, "switchyard: %s\n", e.what());
        return static_cast<int>(sy::cli::Exit::failed);
    }
}
