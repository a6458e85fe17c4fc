// Model file: the models that tasks may name, how their runners are started, and how much memory tasks need (G5);
// docs/schema/models.schema.json says what it may hold.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "input/document.h"

namespace sy::input {

/// Of a model that says nothing (G5).
inline constexpr Bytes kDefaultModelMemory{4'000'000'000};

struct ModelEntry {
    std::vector<std::string> command;  ///< Starts its runner.
    std::string folder = "/";
    std::vector<std::pair<std::string, std::string>> environment;
    Bytes memory = kDefaultModelMemory;
    std::uint32_t prewarm = 0;  ///< On so many GPUs it is loaded when the service starts.
    bool pinned = false;
};

struct ModelFile {
    std::map<std::string, ModelEntry> models;
    std::map<std::string, double> task_types;  ///< Factors of the memory of tasks of that type.
    std::map<std::string, double> size_terms;  ///< MB for each unit of that size.
};

Result<ModelFile> parse_models(const Document& document);

}  // namespace sy::input
