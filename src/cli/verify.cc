// switchyard verify: is this plan valid for this batch? Prints the first violation.
#include "core/plan/verify.h"

#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "input/batch_file.h"
#include "input/json_lines.h"
#include "input/plan_file.h"

namespace sy::cli {

namespace {

struct VerifyArguments {
    std::string batch;
    std::string plan;
    bool json = false;
};

Exit run(const VerifyArguments& a) {
    const auto batch_document = input::read_batch_document(a.batch);
    if (!batch_document) return complain(batch_document.error());
    const auto batch = input::read_batch(*batch_document);
    if (!batch) return complain(batch.error());
    const auto plan_document = input::read_document(a.plan);
    if (!plan_document) return complain(plan_document.error());
    const auto plan = input::read_plan(*plan_document, *batch);
    if (!plan) return complain(plan.error());

    const auto valid = plan::verify(*batch, *plan);
    if (a.json) {
        nlohmann::ordered_json document{{"valid", valid.has_value()}, {"makespan_s", to_seconds(plan->makespan())}};
        if (!valid) document["violation"] = valid.error().message;
        fmt::print("{}\n", document.dump(2));
    } else if (valid) {
        fmt::print("valid: {} nodes, makespan {} s\n", plan->jobs.size(), to_seconds(plan->makespan()));
    }
    if (valid) return Exit::done;
    return complain({Fault::failed, "the plan is not valid: " + valid.error().message, {}});
}

}  // namespace

Command verify_command() {
    const auto a = std::make_shared<VerifyArguments>();
    return {
        .name = "verify",
        .summary = "Check any plan of a batch independently; prints the first violation",
        .examples = "  switchyard plan examples/rag.yaml -o plan.json\n  switchyard verify examples/rag.yaml plan.json",
        .options = {{"BATCH", "", "Batch file, YAML or JSON", &a->batch, {}, true},
                    {"PLAN", "", "Plan file, JSON", &a->plan, {}, true},
                    {"--json", "", "Print one JSON document", &a->json}},
        .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
