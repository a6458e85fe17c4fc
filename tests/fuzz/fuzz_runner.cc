// What a runner may write. Whatever it is, it is a word or chatter, and what is kept of an answer is JSON.
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "fuzz/target.h"
#include "service/worker/runner_words.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    const sy::worker::RunnerWord word = sy::worker::parse_word(text, "7.1");
    if (const auto* output = std::get_if<sy::worker::Output>(&word))
        SY_CHECK(nlohmann::json::accept(output->json), "an output that is no JSON");
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {R"({"ready":{}})", R"({"result":{"id":"7.1","output":{"a":[1,"\\u00e4",null]}}})",
            R"({"error":{"id":"7.1","message":"no","kind":"oom"}})",
            R"({"progress":{"id":"7.1","fraction":0.5,"message":"half"}})", "loading"};
}
