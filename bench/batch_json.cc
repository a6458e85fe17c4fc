#include "batch_json.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace sy::bench {

namespace {

/// Nothing before the first of a list, a comma before every other.
class Comma {
public:
    std::string_view next() {
        const std::string_view text = first_ ? "\n" : ",\n";
        first_ = false;
        return text;
    }

private:
    bool first_ = true;
};

double in_gb(Bytes bytes) {
    return static_cast<double>(bytes.value()) / 1e9;
}

void add_workflow(std::back_insert_iterator<std::string> out, const Batch& batch, const Workflow& workflow) {
    fmt::format_to(out, R"("{}": {{)", workflow.name);
    Comma step_comma;
    for (const Step& step : workflow.steps) {
        fmt::format_to(out, R"({}"{}": {{"model": "{}", "seconds": {{)", step_comma.next(), step.name,
                       batch.models[step.model.value()].name);
        Comma kind_comma;
        for (std::size_t kind = 0; kind < step.seconds.size(); ++kind)
            if (step.seconds[kind])
                fmt::format_to(out, R"({}"{}": {})", kind_comma.next(), batch.kinds[kind], *step.seconds[kind]);
        fmt::format_to(out, R"(}}, "needs": [)");
        Comma need_comma;
        for (const std::uint32_t need : step.needs)
            fmt::format_to(out, R"({}"{}")", need_comma.next(), workflow.steps[need].name);
        fmt::format_to(out, "]}}");
    }
    fmt::format_to(out, "}}");
}

}  // namespace

std::string batch_json(const Batch& batch) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, R"({{"cluster": {{"gpus": [)");
    Comma gpu_comma;
    for (const BatchGpu& gpu : batch.gpus)
        fmt::format_to(out, R"({}{{"kind": "{}", "memory_gb": {}, "node": "{}"}})", gpu_comma.next(),
                       batch.kinds[gpu.kind.value()], in_gb(gpu.memory), batch.nodes[gpu.node.value()]);
    const SwitchRules& rules = batch.switching;
    fmt::format_to(out, R"(], "switch": {{"gb_per_s": {}, "overhead_s": {}, "unload": {}}}}}, "models": {{)",
                   rules.bytes_per_second / 1e9, to_seconds(rules.overhead), rules.unload);
    Comma model_comma;
    for (const ModelSpec& model : batch.models)
        fmt::format_to(out, R"({}"{}": {{"memory_gb": {}, "gpus": {}}})", model_comma.next(), model.name,
                       in_gb(model.memory), model.gpus);
    fmt::format_to(out, R"(}}, "workflows": {{)");
    Comma workflow_comma;
    for (const Workflow& workflow : batch.workflows) {
        fmt::format_to(out, "{}", workflow_comma.next());
        add_workflow(out, batch, workflow);
    }
    fmt::format_to(out, R"(}}, "requests": [)");
    Comma request_comma;
    for (const Request& request : batch.requests)
        fmt::format_to(out, R"({}{{"workflow": "{}", "id": "{}", "scale": {}}})", request_comma.next(),
                       batch.workflows[request.workflow].name, request.id, request.scale);
    text += "]}\n";
    return text;
}

}  // namespace sy::bench
