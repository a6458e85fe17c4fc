// What a stranger may say to a model over many nodes: a line for each request, the verb and then the body, in whatever
// order. A first line that is an order for a pipeline is tried as one.
#include "base/check.h"
#include "fuzz/target.h"
#include "service/pipelines/served.h"
#include "service/server/nesting.h"

namespace {

using sy::pipelines::Answer;
using sy::pipelines::Json;
using sy::pipelines::Served;

std::unique_ptr<Served> served_by(std::string_view order) {
    const auto document = sy::input::parse_document(order, "the order");
    if (!document) return nullptr;
    const auto parsed = sy::input::parse_pipeline(*document);
    if (!parsed) return nullptr;
    auto served = Served::make(*parsed, 0, [](const std::string&) {});
    return served ? std::move(*served) : nullptr;
}

std::unique_ptr<Served> tiny() {
    return served_by(R"({"name": "tiny", "model": {"name": "tiny", "layers": 4, "hidden": 64, "intermediate": 128,
        "heads": 4, "kv_heads": 4, "head_size": 16, "vocab": 100}, "scheduling": {"gather_s": 0.1}})");
}

void check(const Answer& answer) {
    SY_CHECK(answer.status == 200 || answer.json.contains("error"), "{}", answer.json.dump());
}

void say(Served& served, std::string_view verb, std::string_view body, sy::Instant now) {
    if (sy::server::is_nested_too_deeply(body)) return;
    if (verb == "join") return check(served.join(body, now));
    if (verb == "links") return check(served.measure(body, now));
    const Json json = Json::parse(body, nullptr, false);
    if (verb == "beat") return check(served.beat(json, now));
    if (verb == "leave") return check(served.leave(json, now));
    if (verb == "end") return check(served.end(json, now));
    if (verb == "route") return served.route(json, now, check);
    if (verb == "failed") return served.stage_failed(json, now, check);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(bytes), size);
    std::unique_ptr<Served> served = served_by(text.substr(0, text.find('\n')));
    if (!served) served = tiny();
    SY_CHECK(served, "the order of this test is refused");
    sy::Instant now = sy::kStart;
    for (int lines = 0; !text.empty() && lines < 64; ++lines, now += std::chrono::milliseconds(300)) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t space = std::min(line.find(' '), line.size());
        say(*served, line.substr(0, space), line.substr(space), now);
        served->tick(now);
        (void)served->shown(now).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    const std::string join =
        R"(join {"node": {"id": "a", "tflops": 1, "memory_gib": 8, "bandwidth_gb_s": 10}, "address": "h:1",)"
        R"( "links": [{"from": "a", "to": "b", "rtt_ms": 2}], "holds": [0, 4]})"
        "\n";
    return {
        R"({"name": "p", "model": {"name": "m", "layers": 4, "hidden": 64, "intermediate": 128, "heads": 4, "kv_heads": 4,)"
        R"( "head_size": 16, "vocab": 100}, "scheduling": {"allocation_strategy": "search", "routing_strategy": "flow"}})"
        "\n" +
            join,
        join + R"(beat {"node": "a", "holds": [0, 4], "ms_per_layer": 1.5, "steps": 3, "load_failed": false})" + "\n" +
            R"(route {"request": 7, "priority": "HIGH", "prompt_tokens": 10, "output_tokens": 2})" + "\n" +
            R"(failed {"request": 7, "node": "a"})" + "\n" + R"(end {"request": 7})",
        join + R"(beat {"beats": [{"node": "a", "holds": []}, {"node": "b", "load_failed": true}]})" + "\n" +
            R"(links {"links": [{"from": "a", "to": "client", "rtt_ms": 1, "gb_per_s": 1}]})" + "\n" +
            R"(leave {"node": "a"})",
    };
}
