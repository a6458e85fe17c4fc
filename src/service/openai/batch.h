// Batch: many calls handed in as one file, answered in another. As it is kept and as clients see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/openai/batch_run.h"
#include "service/runs/run.h"

namespace sy::openai {

enum class BatchState : std::uint8_t {
    validating,
    in_progress,
    finalizing,
    cancelling,
    completed,
    failed,
    cancelled,
    expired,
};
const char* name_of(BatchState state);
inline bool has_ended(BatchState state) {
    return state >= BatchState::completed;
}

struct Counts {
    std::uint64_t total = 0;
    std::uint64_t completed = 0;
    std::uint64_t failed = 0;
};

/// Times are seconds since 1970; 0: not yet.
struct Batch {
    std::string id;
    std::string input_file;
    std::string endpoint;
    std::string window;
    Json metadata;
    std::string user;
    runs::RunId run = 0;
    BatchState state = BatchState::validating;
    std::vector<Unrunnable> unrunnable;
    Json errors = Json::array();
    std::string output_file;
    std::string error_file;
    Counts counts;
    std::int64_t created = 0;
    std::int64_t expires = 0;
    std::int64_t in_progress = 0;
    std::int64_t finalizing = 0;
    std::int64_t cancelling = 0;
    std::int64_t ended = 0;
    bool has_expired = false;  ///< Its window was over before it was.
};

/// As OpenAI's clients read it.
Json to_json(const Batch& batch);
/// As it is kept.
Json record_of(const Batch& batch);
std::optional<Batch> read_record(const Json& json);

/// Seconds in "24h", "7d", "30m" or "90s"; nothing where it is none of these or longer than a year.
std::optional<std::int64_t> seconds_of_window(std::string_view window);

}  // namespace sy::openai
