// Runner words: what a worker and a runner say to each other, one JSON document a line (docs/runner.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sy::worker {

/// Of an answer: it is kept in the task's record.
inline constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

/// The model is loaded.
struct Ready {
    bool woke = false;  ///< It was asleep, and not loaded anew.
};
/// It will not be loaded: why.
struct NotReady {
    std::string message;
    bool was_asleep = false;  ///< It may do so if it is started anew.
};
/// The model has left the GPU's memory, and its process waits to be woken.
struct Asleep {};
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
    std::uint32_t http_status = 0;  ///< Of a model server that refused; 0: none.
};
/// Part of an answer that is not whole yet: a JSON document.
struct PieceOfAnswer {
    std::string json;
};
/// Not for us: what a program prints.
struct Chatter {};

using RunnerWord = std::variant<Ready, NotReady, Asleep, Progress, PieceOfAnswer, Output, Failure, Chatter>;

/// What a line means. `id` is the run that is under way; words about another one are chatter.
RunnerWord parse_word(std::string_view line, std::string_view id);

std::string run_line(std::string_view id, std::string_view input_json);
std::string cancel_line(std::string_view id);
std::string unload_line();

/// Whether a message sounds like a GPU without memory: of CUDA, HIP, PyTorch, JAX, ONNX or llama.cpp.
bool speaks_of_gpu_memory(std::string_view text);

}  // namespace sy::worker
