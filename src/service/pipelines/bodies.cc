#include "service/pipelines/bodies.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "service/server/task_json.h"

namespace sy::pipelines {

namespace {

constexpr std::uint64_t kMostTokens = 100'000'000;
constexpr double kMostMsPerLayer = 3'600'000;
constexpr std::uint64_t kMostSteps = 1'000'000'000;
constexpr std::size_t kMostBeats = 100'000;
constexpr std::uint64_t kMostRequest = std::uint64_t{1} << 53U;
constexpr std::size_t kMostShown = 60;

/// As it was sent, for a message.
std::string shown(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kMostShown);
}

void expect_fields(const Json& body, std::initializer_list<std::string_view> known) {
    if (!body.is_object()) throw Wrong{"the body must be a JSON object"};
    for (const auto& [key, value] : body.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw Wrong{fmt::format("there is no field '{}' here", key)};
}

/// Nothing where it was not said.
const Json* said(const Json& body, const char* key) {
    const auto found = body.find(key);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& body, const char* key) {
    const Json* text = said(body, key);
    if (text == nullptr) throw Wrong{fmt::format("{} is missing, it must be a text", key)};
    if (!text->is_string()) throw Wrong{fmt::format("{} is {}, it must be a text", key, shown(*text))};
    return text->get<std::string>();
}

bool flag_of(const Json& body, const char* key) {
    const Json* flag = said(body, key);
    if (flag == nullptr) return false;
    if (!flag->is_boolean()) throw Wrong{fmt::format("{} is {}, it must be true or false", key, shown(*flag))};
    return flag->get<bool>();
}

std::optional<std::uint64_t> whole_of(const Json& body, const char* key, std::uint64_t most) {
    const Json* number = said(body, key);
    if (number == nullptr) return std::nullopt;
    if (!number->is_number_unsigned() || number->get<std::uint64_t>() > most)
        throw Wrong{fmt::format("{} is {}, it must be a whole number from 0 to {}", key, shown(*number), most)};
    return number->get<std::uint64_t>();
}

std::optional<std::uint32_t> tokens_of(const Json& body, const char* key) {
    const auto tokens = whole_of(body, key, kMostTokens);
    return tokens ? std::optional(static_cast<std::uint32_t>(*tokens)) : std::nullopt;
}

RequestId request_of(const Json& body) {
    const auto number = whole_of(body, "request", kMostRequest);
    if (!number) throw Wrong{"request is missing, it must be the number of one"};
    return RequestId(*number);
}

Level level_of(const Json& body) {
    const Json* priority = said(body, "priority");
    if (priority == nullptr) return Level::normal;
    const auto level =
        priority->is_string() ? server::level_named(priority->get_ref<const std::string&>()) : std::nullopt;
    if (!level)
        throw Wrong{fmt::format("priority is {}, it must be one of CRITICAL, HIGH, NORMAL, LOW", shown(*priority))};
    return *level;
}

std::optional<Duration> time_of(const Json& body, const char* key) {
    const Json* ms = said(body, key);
    if (ms == nullptr) return std::nullopt;
    const double number = ms->is_number() ? ms->get<double>() : -1;
    if (!(number >= 0 && number <= kMostMsPerLayer))
        throw Wrong{fmt::format("{} is {}, it must be a number from 0 to {}", key, shown(*ms), kMostMsPerLayer)};
    return Duration(std::llround(number * 1e6));
}

std::optional<pipeline::Range> holds_of(const Json& beat, std::uint32_t layers) {
    const Json* holds = said(beat, "holds");
    if (holds == nullptr) return std::nullopt;
    if (holds->is_array() && holds->empty()) return pipeline::Range{};
    const auto is_layer = [&](const Json& layer) {
        return layer.is_number_unsigned() && layer.get<std::uint64_t>() <= layers;
    };
    if (!holds->is_array() || holds->size() != 2 || !is_layer((*holds)[0]) || !is_layer((*holds)[1]) ||
        (*holds)[0] > (*holds)[1])
        throw Wrong{fmt::format("holds is {}, it must be [first, end] with an end of at most {}, or [] for nothing",
                                shown(*holds), layers)};
    const pipeline::Range range{(*holds)[0].get<std::uint32_t>(), (*holds)[1].get<std::uint32_t>()};
    return range.empty() ? pipeline::Range{} : range;
}

SaidBeat read_beat(const Json& body, std::uint32_t layers) {
    expect_fields(body, {"node", "holds", "ms_per_layer", "steps", "load_failed"});
    SaidBeat beat{{text_of(body, "node"), {}, 0}, holds_of(body, layers), flag_of(body, "load_failed")};
    const auto steps = whole_of(body, "steps", kMostSteps);
    if (const auto each = time_of(body, "ms_per_layer")) {
        beat.beat.each = *each;
        beat.beat.steps = static_cast<std::uint32_t>(steps.value_or(1));
    }
    return beat;
}

}  // namespace

SaidBeats read_beats(const Json& body, std::uint32_t layers) {
    if (!body.is_object() || !body.contains("beats")) return {{read_beat(body, layers)}};
    expect_fields(body, {"beats"});
    const Json& list = body["beats"];
    if (!list.is_array() || list.size() > kMostBeats)
        throw Wrong{fmt::format("beats must be a list of at most {}", kMostBeats)};
    SaidBeats beats{{}, true};
    beats.all.reserve(list.size());
    for (const Json& beat : list) try {
            beats.all.push_back(read_beat(beat, layers));
        } catch (const Wrong& wrong) {
            throw Wrong{fmt::format("beats[{}]: {}", beats.all.size(), wrong.message)};
        }
    return beats;
}

std::string read_leaving_node(const Json& body) {
    expect_fields(body, {"node"});
    return text_of(body, "node");
}

SaidRoute read_route(const Json& body) {
    expect_fields(body, {"request", "priority", "prompt_tokens", "output_tokens"});
    SaidRoute route{{}, {{}, level_of(body), tokens_of(body, "prompt_tokens"), tokens_of(body, "output_tokens")}};
    if (const auto request = whole_of(body, "request", kMostRequest)) route.request = RequestId(*request);
    return route;
}

pipeline::StageFailed read_failed_stage(const Json& body) {
    expect_fields(body, {"request", "node"});
    return {request_of(body), text_of(body, "node")};
}

RequestId read_ended_request(const Json& body) {
    expect_fields(body, {"request"});
    return request_of(body);
}

}  // namespace sy::pipelines
