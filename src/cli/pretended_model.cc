// switchyard pretended-model: a runner whose model is pretended. It takes its time to load and to answer, and says in
// every answer that nothing was computed. `switchyard run --pretend` starts these.
#include <chrono>
#include <cmath>
#include <iostream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

void rest(double seconds) {
    if (std::isfinite(seconds) && seconds > 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

void say(const Json& word) {
    std::cout << word.dump() << '\n' << std::flush;
}

/// What a run says of a step: in its input, or in the body of the request it carries.
double seconds_in(const Json& input) {
    if (!input.is_object()) return 0;
    for (const char* key : {"pretend_seconds", "seconds"})
        if (const auto found = input.find(key); found != input.end() && found->is_number()) return found->get<double>();
    const auto body = input.find("body");
    return body == input.end() ? 0 : seconds_in(*body);
}

Exit answer_calls(double load_s) {
    rest(load_s);
    say({{"ready", Json::object()}});
    std::string line;
    while (std::getline(std::cin, line)) {
        const Json word = Json::parse(line, nullptr, false);
        if (!word.is_object() || word.contains("unload")) break;
        if (!word.contains("run") || !word["run"].is_object()) continue;
        const Json& call = word["run"];
        const Json input = call.value("input", Json());
        rest(seconds_in(input));
        say({{"result", {{"id", call.value("id", "")}, {"output", {{"pretended", true}, {"input", input}}}}}});
    }
    return Exit::done;
}

}  // namespace

Command pretended_model_command() {
    const auto load_s = std::make_shared<double>(0);
    return {.name = "pretended-model",
            .summary = "A runner that pretends a model: it waits instead of computing (`run --pretend` starts these)",
            .examples = "  switchyard pretended-model --load 0.5",
            .options = {{"--load", "S", "Seconds until it is loaded (default 0)", load_s.get()}},
            .run = [load_s] { return answer_calls(*load_s); }};
}

}  // namespace sy::cli
