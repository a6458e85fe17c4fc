// switchyard validate: read a batch file as `plan` would, and say what is in it or what is wrong with it.
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "input/batch_file.h"

namespace sy::cli {

namespace {

Exit run(const std::string& path, bool json) {
    const auto document = input::read_document(path);
    if (!document) return complain(document.error());
    const auto batch = input::read_batch(*document);
    if (!batch) return complain(batch.error());
    std::uint64_t nodes = 0;
    for (const Request& request : batch->requests) nodes += batch->workflows[request.workflow].steps.size();
    if (json) {
        const nlohmann::ordered_json report{{"valid", true},
                                            {"kind", "batch"},
                                            {"gpus", batch->gpus.size()},
                                            {"models", batch->models.size()},
                                            {"workflows", batch->workflows.size()},
                                            {"requests", batch->requests.size()},
                                            {"nodes", nodes}};
        fmt::print("{}\n", report.dump(2));
    } else {
        fmt::print("valid batch: {} GPUs, {} models, {} workflows, {} requests, {} nodes\n", batch->gpus.size(),
                   batch->models.size(), batch->workflows.size(), batch->requests.size(), nodes);
    }
    return Exit::done;
}

}  // namespace

Command validate_command() {
    const auto path = std::make_shared<std::string>();
    const auto json = std::make_shared<bool>(false);
    return {.name = "validate",
            .summary = "Check a batch file",
            .examples = "  switchyard validate examples/rag.yaml",
            .options = {{"FILE", "", "Batch file, YAML or JSON; - for stdin", path.get(), {}, true},
                        {"--json", "", "Print one JSON document", json.get()}},
            .run = [path, json] { return run(*path, *json); }};
}

}  // namespace sy::cli
