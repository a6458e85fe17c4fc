#include "service/server/gpu_watch.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "service/process/marked.h"
#include "service/wire/messages.h"

namespace sy::server {

struct GpuWatch::Shared {
    std::mutex mutex;
    std::condition_variable wake;
    bool over = false;
};

namespace {

Bytes memory_of_ours(const device::Reading& reading, const std::string& folder) {
    Bytes ours;
    for (const device::ProcessUse& use : reading.processes)
        if (use.memory && process::is_marked(use.pid, wire::kPlaceMark, folder + "#")) ours = ours + *use.memory;
    return ours;
}

}  // namespace

GpuWatch::GpuWatch(std::shared_ptr<device::Devices> devices, Options options,
                   std::function<void(std::vector<GpuState>)> tell)
    : shared_(std::make_shared<Shared>()) {
    std::thread([shared = shared_, devices = std::move(devices), options = std::move(options), tell = std::move(tell)] {
        for (;;) {
            std::vector<GpuState> states;
            for (device::Reading& reading : devices->read(options.clock())) {
                const Bytes ours = memory_of_ours(reading, options.folder);
                states.push_back({std::move(reading), ours, devices->identities()[states.size()].memory});
            }
            std::unique_lock lock(shared->mutex);
            if (shared->over) return;
            tell(std::move(states));
            if (shared->wake.wait_for(lock, options.every, [&] { return shared->over; })) return;
        }
    }).detach();
}

GpuWatch::~GpuWatch() {
    const std::lock_guard lock(shared_->mutex);
    shared_->over = true;
    shared_->wake.notify_all();
}

}  // namespace sy::server
