// What a catalogue of models may hold, ours or llama-swap's. What is read can be started: every model has a program,
// and a server a port.
#include "base/check.h"
#include "fuzz/target.h"
#include "input/model_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto document = sy::input::parse_document(text, "models.yaml");
    if (!document) return 0;
    const auto file = sy::input::parse_models(*document);
    if (!file) return 0;
    for (const auto& [name, model] : file->models) {
        SY_CHECK(!model.command.empty(), "model {} has no program", name);
        SY_CHECK(!model.server || model.server->port != 0 || sy::input::names_port(model), "model {} has no port",
                 name);
    }
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {"models: {a: {command: [x], memory_mb: 1, aliases: [b], when_unused: keep}}",
            "models: {a: {server: [x, '${PORT}'], sleep: {path: /s, wake: /w, keeps_mb: 1}, when_unused: offload}}",
            "macros: {m: \"${n}\", n: y}\nmodels: {a: {cmd: \"x ${PORT} '${m}' \\\\ \", proxy: "
            "\"http://localhost:${PORT}\"}}",
            "models: {a: {cmd: x, proxy: \"http://127.0.0.1:80/\", env: [A=b], aliases: [{id: c}], ttl: 5}}"};
}
