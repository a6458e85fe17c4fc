// OwnMachine: the GPUs of the machine that the service itself runs on. Which numbers they have the brain says: hosts
// may have come before them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "service/device/devices.h"
#include "service/server/engine.h"

namespace sy::server {

struct OwnMachine {
    GpuSpan gpus{GpuId(0), 0};

    /// Where it has as many as that. `name`: as the engine was told.
    static OwnMachine find(const Engine& engine, const std::string& name, std::size_t count) {
        const auto node = engine.core().node_named(engine.names().find(name));
        if (count == 0 || !node) return {};
        return {engine.core().ledger().nodes()[node->value()]};
    }
    bool has(GpuId gpu) const { return gpus.contains(gpu); }
    /// A list of its own GPUs as one of all up to its last.
    std::vector<bool> among_all(const std::vector<bool>& own) const {
        std::vector<bool> all(gpus.first.value(), false);
        all.insert(all.end(), own.begin(), own.end());
        return all;
    }
    /// The one kind of all of them; empty where they differ.
    std::string kind(const device::Devices* devices) const {
        if (devices == nullptr || gpus.count == 0) return "";
        for (GpuId gpu = gpus.first; gpu < gpus.end(); gpu = gpu.next())
            if (kind_of(gpu, devices) != kind_of(gpus.first, devices)) return "";
        return kind_of(gpus.first, devices);
    }
    std::string kind_of(GpuId gpu, const device::Devices* devices) const {
        return devices == nullptr ? "" : devices->identities()[gpu.value() - gpus.first.value()].kind;
    }
};

}  // namespace sy::server
