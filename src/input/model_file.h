// Model file: the models that tasks may name, how their runners are started, and how much memory tasks need (G5);
// docs/schema/models.schema.json says what it may hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "input/document.h"

namespace sy::input {

/// Of a model that says nothing (G5).
inline constexpr Bytes kDefaultModelMemory{4'000'000'000};

/// What becomes of a model that has to leave the GPU: how deep it sleeps.
enum class WhenUnused : std::uint8_t {
    unload,   ///< Its process ends.
    offload,  ///< Its process frees the GPU and stays.
    keep,     ///< It does not leave, unless nothing else makes room: it is pinned.
};

/// How a server of models is spoken to.
struct ServerEntry {
    std::string served_name;  ///< What it calls the model itself; empty: as we do.
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;          ///< 0: a free one, put where ${PORT} stands.
    std::string health = "/health";  ///< Empty: ready as soon as it listens.
    double start_timeout_s = 300;
    std::string sleep;  ///< Empty: it cannot.
    std::string wake;
    Bytes asleep_memory;  ///< What it keeps of the GPU while it sleeps.
};

struct ModelEntry {
    std::vector<std::string> command;   ///< Starts its runner, or its server.
    std::optional<ServerEntry> server;  ///< Where it is one.
    std::vector<std::string> aliases;   ///< Names that mean the same model.
    bool unlisted = false;              ///< It can be called and is not shown to clients that ask for models.
    std::string folder = "/";
    std::vector<std::pair<std::string, std::string>> environment;
    Bytes memory = kDefaultModelMemory;
    std::uint32_t prewarm = 0;  ///< On so many GPUs it is loaded when the service starts.
    bool pinned = false;
    WhenUnused when_unused = WhenUnused::unload;
};

struct ModelFile {
    std::map<std::string, ModelEntry> models;
    std::map<std::string, double> task_types;  ///< Factors of the memory of tasks of that type.
    std::map<std::string, double> size_terms;  ///< MB for each unit of that size.
    std::uint32_t most_sleeping = 4;           ///< Models asleep beside one GPU.
    std::vector<std::string> notes;            ///< What was read and plays no part.
};

constexpr const char* name_of(WhenUnused when) {
    switch (when) {
        case WhenUnused::unload: return "unload";
        case WhenUnused::offload: return "offload";
        case WhenUnused::keep: return "keep";
    }
    return "unload";
}

/// Whether a text names the port that the worker chooses.
bool names_port(const ModelEntry& model);

/// Our own format, or llama-swap's (llama_swap.h).
Result<ModelFile> parse_models(const Document& document);

}  // namespace sy::input
