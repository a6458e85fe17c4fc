// Text that users write: the document reader and the fields of a weather file.
#include <string_view>

#include "fuzz/target.h"
#include "sim/weather_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const auto document = sy::input::parse_document(text, "fuzz");
    if (document) static_cast<void>(sy::sim::read_weather(*document, {}));
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {"nodes: 2\nloss: 0.5\ndelay: 200ms\n", R"({"tasks": 10, "storm": "5min", "cut_every": 0})",
            "a: [1, {b: c}, 'd', \"e\\n\"]\n# comment\nf: |\n  text\n", "- x\n- y: z\n",
            "&a *b !!c %YAML 1.2\n---\n...\n"};
}
