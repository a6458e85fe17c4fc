// Pretence: what is needed to run a batch without its GPUs and models: simulated GPUs as its cluster says, runners that
// wait as long as each model would take, and the batch in which one second is a fraction of one.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "input/document.h"

namespace sy::cli {

struct Pretence {
    nlohmann::ordered_json batch;
    std::string devices;  ///< A device file.
    std::string models;   ///< A model file.
};

/// `program`: this binary. `speed`: how many seconds of the batch pass in one.
Result<Pretence> pretend(const input::Document& document, const std::string& program, double speed);

}  // namespace sy::cli
