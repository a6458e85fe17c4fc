// A batch file. What is accepted must be plannable, and the plan valid.
#include <string_view>

#include "base/check.h"
#include "core/plan/planner.h"
#include "core/plan/verify.h"
#include "fuzz/target.h"
#include "input/batch_file.h"

namespace {
/// Larger batches are accepted but would make the fuzzer slow.
constexpr std::size_t kMostRequests = 50;
constexpr std::size_t kMostGpus = 64;
}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto document = sy::input::parse_document(text, "fuzz");
    if (!document) return 0;
    const auto batch = sy::input::read_batch(*document);
    if (!batch || batch->requests.size() > kMostRequests || batch->gpus.size() > kMostGpus) return 0;
    const sy::plan::Problem problem(*batch);
    sy::plan::PlanOptions options;
    options.passes = 3;
    const sy::Plan plan = sy::plan::make_plan(problem, sy::plan::kAuto, options);
    const auto valid = sy::plan::verify(*batch, plan);
    SY_CHECK(valid.has_value(), "{}", valid.error().message);
    SY_CHECK(plan.lower_bound <= plan.makespan(), "bound {} ns, makespan {} ns", plan.lower_bound.count(),
             plan.makespan().count());
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {
        R"(cluster: {gpus: [{kind: a, memory_gb: 80, count: 3, node: x}, {kind: b, memory_gb: 24, count: 1}], holds: {0: m}}
models: {m: {memory_gb: 10}, g: {memory_gb: 90, gpus: 2}}
workflows:
  w:
    one: {model: m, seconds: {a: 1.5, b: 2}}
    two: {model: g, seconds: 2, needs: [one]}
requests:
  - {workflow: w, count: 5}
  - {workflow: w, id: v, scale: 1.5, priority: HIGH}
)",
        R"({"cluster": {"gpus": [{"memory_gb": 1, "count": 2}], "switch": {"matrix": [{"from": ["none"], "to": ["m"], "seconds": [[0]]}]}},
"models": {"m": {"memory_gb": 1}}, "workflows": {"w": {"a": {"model": "m", "seconds": 0}, "b": {"model": "m", "seconds": 9, "needs": ["a"]}}},
"requests": [{"workflow": "w"}]})"};
}
