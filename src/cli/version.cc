// switchyard version: what this binary is.
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/build_info.h"
#include "cli/commands.h"

namespace sy::cli {

Command version_command() {
    const auto json = std::make_shared<bool>(false);
    return {.name = "version",
            .summary = "Print the version and how it was built",
            .examples = "  switchyard version\n  switchyard version --json",
            .options = {{"--json", "", "Print one JSON document", json.get()}},
            .run = [json] {
                if (*json) {
                    const nlohmann::ordered_json document{
                        {"version", kVersion}, {"build", kBuildType}, {"compiler", kCompiler}};
                    fmt::print("{}\n", document.dump(2));
                } else {
                    fmt::print("switchyard {} ({}, {})\n", kVersion, kBuildType, kCompiler);
                }
                return Exit::done;
            }};
}

}  // namespace sy::cli
