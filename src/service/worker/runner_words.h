// Runner words: what a worker and a runner say to each other, one JSON document a line (docs/runner.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sy::worker {

/// The model is loaded.
struct Ready {};
struct Progress {
    double fraction = 0;
    std::string message;
};
struct Output {
    std::string json;
    std::uint64_t peak_bytes = 0;  ///< The most it held of a GPU's memory; 0: it does not say.
};
struct Failure {
    std::string message;
    bool out_of_memory = false;
};
/// Not for us: what a program prints.
struct Chatter {};

using RunnerWord = std::variant<Ready, Progress, Output, Failure, Chatter>;

/// What a line means. `id` is the run that is under way; words about another one are chatter.
RunnerWord parse_word(std::string_view line, std::string_view id);

std::string run_line(std::string_view id, std::string_view input_json);
std::string cancel_line(std::string_view id);
std::string unload_line();

/// Whether a message sounds like a GPU without memory: of CUDA, HIP, PyTorch, JAX, ONNX or llama.cpp.
bool speaks_of_gpu_memory(std::string_view text);

}  // namespace sy::worker
