#include "service/worker/runner_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::worker {

namespace {

using Json = nlohmann::ordered_json;

/// The part of a word that is named so, where it is one about this run.
const Json* part_of(const Json& word, const char* name, std::string_view id) {
    const auto found = word.find(name);
    if (found == word.end() || !found->is_object()) return nullptr;
    const auto whose = found->find("id");
    return whose != found->end() && whose->is_string() && whose->get_ref<const std::string&>() == id ? &*found
                                                                                                     : nullptr;
}

std::string text_in(const Json& part, const char* key) {
    const auto found = part.find(key);
    return found != part.end() && found->is_string() ? found->get<std::string>() : "";
}

/// In bytes; 0 where it says nothing, or nothing that can be.
std::uint64_t megabytes_in(const Json& part, const char* key) {
    constexpr double kMost = 1e9;
    const auto found = part.find(key);
    if (found == part.end() || !found->is_number()) return 0;
    const double megabytes = found->get<double>();
    return megabytes > 0 && megabytes <= kMost ? static_cast<std::uint64_t>(megabytes * 1e6) : 0;
}

}  // namespace

RunnerWord parse_word(std::string_view line, std::string_view id) {
    if (line.empty() || line.front() != '{') return Chatter{};
    const Json word = Json::parse(line, nullptr, false);
    if (!word.is_object()) return Chatter{};
    if (word.contains("ready")) return Ready{};
    if (const Json* result = part_of(word, "result", id))
        return Output{result->contains("output")
                          ? (*result)["output"].dump(-1, ' ', false, Json::error_handler_t::replace)
                          : "null",
                      megabytes_in(*result, "peak_memory_mb")};
    if (const Json* error = part_of(word, "error", id)) {
        const std::string message = text_in(*error, "message");
        return Failure{message.empty() ? "the runner gave no reason" : message,
                       text_in(*error, "kind") == "oom" || speaks_of_gpu_memory(message)};
    }
    if (const Json* progress = part_of(word, "progress", id)) {
        const auto fraction = progress->find("fraction");
        return Progress{fraction != progress->end() && fraction->is_number() ? fraction->get<double>() : 0,
                        text_in(*progress, "message")};
    }
    if (const Json* piece = part_of(word, "piece", id))
        return PieceOfAnswer{
            piece->contains("data") ? (*piece)["data"].dump(-1, ' ', false, Json::error_handler_t::replace) : "null"};
    return Chatter{};
}

std::string run_line(std::string_view id, std::string_view input_json) {
    return fmt::format("{{\"run\":{{\"id\":\"{}\",\"input\":{}}}}}\n", id, input_json);
}

std::string cancel_line(std::string_view id) {
    return fmt::format("{{\"cancel\":{{\"id\":\"{}\"}}}}\n", id);
}

std::string unload_line() {
    return "{\"unload\":{}}\n";
}

bool speaks_of_gpu_memory(std::string_view text) {
    constexpr std::array<std::string_view, 9> kSigns{"CUDA out of memory",
                                                     "CUDA_ERROR_OUT_OF_MEMORY",
                                                     "cudaErrorMemoryAllocation",
                                                     "HIP out of memory",
                                                     "torch.OutOfMemoryError",
                                                     "torch.cuda.OutOfMemoryError",
                                                     "RESOURCE_EXHAUSTED: Out of memory",
                                                     "failed to allocate CUDA",
                                                     "cudaMalloc failed: out of memory"};
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&](std::string_view sign) { return text.find(sign) != std::string_view::npos; });
}

}  // namespace sy::worker
