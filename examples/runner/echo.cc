// A runner in C++: it holds no model and gives back what it is asked. The protocol is docs/runner.md.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

void say(const Json& word) {
    std::cout << word.dump() << '\n' << std::flush;
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);  // a line at a time, not a byte
    // Load the model here.
    say({{"ready", Json::object()}});
    for (std::string line; std::getline(std::cin, line);) {
        const Json word = Json::parse(line);
        if (word.contains("unload")) return 0;
        if (!word.contains("run")) continue;
        const Json& call = word["run"];
        say({{"result", {{"id", call["id"]}, {"output", call["input"]}}}});
    }
}
