// Batch: everything a plan is made from. GPUs, what switching costs, models, workflows and the requests for them.
//
// Names appear once and are numbers from there on. A request is an instance of a workflow; it is not unfolded here, so
// a batch of a million nodes is as small as its file. plan/jobs.h unfolds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "base/units.h"
#include "core/model/gpu.h"
#include "core/model/task.h"

namespace sy {

/// Weights with a name, by their place in Batch::models.
using ModelId = Id<struct ModelTag, std::uint32_t>;
/// A kind of GPU, by its place in Batch::kinds.
using KindId = Id<struct KindTag, std::uint32_t>;

struct ModelSpec {
    std::string name;
    Bytes memory;       ///< Of all its weights.
    GpuCount gpus = 1;  ///< More than one: a gang (P9).

    /// On each GPU that holds a part.
    Bytes memory_per_gpu() const { return Bytes((memory.value() + gpus - 1) / gpus); }
};

struct BatchGpu {
    KindId kind;
    Bytes memory;
    NodeId node;
    std::optional<ModelId> holds;  ///< At time 0.
};

/// Measured switch times: one figure for each pair of an outgoing and an incoming model. `from` may hold nothing.
struct SwitchMatrix {
    std::optional<KindId> kind;  ///< Nothing: every kind.
    std::vector<std::optional<ModelId>> from;
    std::vector<ModelId> to;
    std::vector<std::vector<Duration>> times;  ///< times[from][to]
};

/// P1: (outgoing + incoming bytes) / rate + overhead, unless a matrix speaks.
struct SwitchRules {
    double bytes_per_second = 16e9;
    Duration overhead = 2s;
    bool unload = true;  ///< Count the outgoing model's bytes.
    std::vector<SwitchMatrix> matrices;
};

/// One call of one model.
struct Step {
    std::string name;
    ModelId model;
    std::vector<std::optional<double>> seconds;  ///< By kind; nothing where that kind cannot run it.
    std::vector<std::uint32_t> needs;            ///< Steps of the same workflow.
    std::uint32_t level = 0;                     ///< Longest way from a step without needs (P2).
};

struct Workflow {
    std::string name;
    std::vector<Step> steps;
};

struct Request {
    std::string id;
    std::uint32_t workflow = 0;
    double scale = 1;
    Level level = Level::normal;
};

struct Batch {
    std::vector<std::string> kinds;
    std::vector<std::string> nodes;
    std::vector<BatchGpu> gpus;  ///< In physical order: the place is the id.
    SwitchRules switching;
    std::vector<ModelSpec> models;
    std::vector<Workflow> workflows;
    std::vector<Request> requests;
};

}  // namespace sy
