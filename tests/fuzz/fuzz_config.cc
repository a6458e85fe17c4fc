// The configuration of the service. What is accepted keeps its ranges, and what is shown of it reads back as the same.
#include <string_view>

#include <fmt/format.h>

#include "base/check.h"
#include "fuzz/target.h"
#include "input/service_config.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace sy::input;
    const auto document = parse_document({reinterpret_cast<const char*>(bytes), size}, "fuzz");
    if (!document) return 0;
    const auto config = resolve_config({.file = *document, .environment = {}, .flags = {}});
    if (!config) return 0;
    std::string text;
    for (const ConfigKey& key : config_keys()) {
        text += fmt::format("{}: {}\n", key.name, value_text(key, config->values));
        if (const auto* whole = std::get_if<WholeRule>(&key.rule))
            SY_CHECK(config->values.*whole->member >= whole->least && config->values.*whole->member <= whole->most,
                     "{} is out of its range", key.name);
    }
    const auto again = resolve_config({.file = *parse_document(text, "shown"), .environment = {}, .flags = {}});
    SY_CHECK(again && again->values == config->values, "what is shown reads back as something else:\n{}", text);
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {"order: fair\nfit: strict\nplace: best-fit\ngpu_ids: [0, 2]\nreserved_gpu_ids: none\n",
            "folder: \"a \\\"b\\\" \\\\c\"\nlisten: 127.0.0.1:7878\ngpus: simulated:8x80\nallow_commands: false\n",
            R"({"poll_interval_ms": 100, "worker_heartbeat_timeout_seconds": 60, "max_retries": 3})"};
}
