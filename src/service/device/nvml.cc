#include "service/device/nvml.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "service/device/faults.h"
#include "service/device/kind.h"
#include "service/device/no_signals.h"
#include "service/device/nvml_processes.h"

namespace sy::device {

namespace {

using nvml::ask;
using nvml::Handle;
using nvml::kSuccess;
using nvml::Status;

std::string text_of(Status (*call)(Handle, char*, unsigned), Handle gpu) {
    std::array<char, nvml::kTextSize> text{};
    return call(gpu, text.data(), nvml::kTextSize) == kSuccess ? std::string(text.data()) : std::string();
}

std::vector<std::string> slices_of(const nvml::Calls& calls, Handle gpu) {
    unsigned on = 0;
    unsigned after_reset = 0;
    unsigned most = 0;
    if (ask(calls.mig_mode, gpu, &on, &after_reset) != kSuccess || on == 0) return {};
    if (ask(calls.mig_most, gpu, &most) != kSuccess) return {};
    std::vector<std::string> slices;
    for (unsigned i = 0; i < most; ++i) {
        Handle slice = nullptr;
        if (ask(calls.mig_handle, gpu, i, &slice) == kSuccess) slices.push_back(text_of(calls.uuid, slice));
    }
    return slices;
}

/// Reads one GPU, and remembers when a call says that it is gone.
class Reader {
public:
    Reader(const nvml::Calls& calls, Handle gpu) : calls_(calls), gpu_(gpu) {}

    Reading read() {
        nvml::Memory memory{};
        if (const Status status = calls_.memory(gpu_, &memory); !is_fine(status)) {
            if (reading_.error.empty())
                reading_.error = fmt::format("its memory cannot be read: {}", calls_.error_text(status));
            return std::move(reading_);
        }
        reading_.memory_used = Bytes(memory.used);
        read_gauges();
        read_errors();
        return std::move(reading_);
    }

private:
    void read_gauges() {
        nvml::Utilization utilization{};
        unsigned number = 0;
        if (is_fine(ask(calls_.utilization, gpu_, &utilization))) reading_.utilization_percent = utilization.gpu;
        if (is_fine(ask(calls_.temperature, gpu_, nvml::kGpuSensor, &number))) reading_.temperature_c = number;
        if (is_fine(ask(calls_.power, gpu_, &number))) reading_.power_w = number / 1e3;
        if (is_fine(ask(calls_.clock, gpu_, nvml::kSmClock, &number))) reading_.sm_clock_mhz = number;
        nvml::ProcessList list = nvml::list_processes(calls_, gpu_);
        if (is_fine(list.status)) reading_.processes = std::move(list.processes);
    }

    /// As NVIDIA's own health check has it, one uncorrected error asks for a reset.
    void read_errors() {
        unsigned long long errors = 0;
        if (!is_fine(ask(calls_.ecc_errors, gpu_, nvml::kUncorrected, nvml::kVolatile, &errors))) return;
        reading_.ecc_uncorrected = errors;
        if (errors > 0 && reading_.error.empty()) reading_.error = kEccErrors;
    }

    bool is_fine(Status status) {
        if (status == nvml::kGpuIsLost || status == nvml::kResetRequired) reading_.error = calls_.error_text(status);
        return status == kSuccess;
    }

    const nvml::Calls& calls_;
    Handle gpu_;
    Reading reading_;
};

}  // namespace

Nvml::Nvml(std::shared_ptr<const nvml::Calls> calls) : calls_(std::move(calls)), xids_(calls_) {}

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
    const NoSignals while_it_starts_threads;
    auto calls = nvml::load_nvml(library);
    if (!calls) return tl::unexpected(calls.error());
    unsigned count = 0;
    if (const Status status = (*calls)->count(&count); status != kSuccess)
        return (*calls)->refused("count GPUs", status);
    std::unique_ptr<Nvml> devices(new Nvml(std::move(*calls)));
    for (unsigned i = 0; i < count; ++i) devices->add(i);
    return devices;
}

void Nvml::add(unsigned index) {
    Handle gpu = nullptr;
    std::array<char, nvml::kTextSize> uuid{};
    nvml::Memory memory{};
    Identity identity{.uuid = {}, .name = fmt::format("GPU {}", index), .kind = "gpu", .memory = {}, .mig = {}};
    Status status = calls_->handle(index, &gpu);
    if (status == nvml::kNoPermission) return;  // hidden from us, by a container or a batch system
    if (status == kSuccess) status = calls_->uuid(gpu, uuid.data(), nvml::kTextSize);
    if (status == kSuccess) status = calls_->memory(gpu, &memory);
    if (status == kSuccess) {
        identity.uuid = uuid.data();
        identity.name = text_of(calls_->name, gpu);
        identity.kind = kind_of(identity.name);
        identity.memory = Bytes(memory.total);
        identity.mig = slices_of(*calls_, gpu);
        xids_.watch(gpu);
    }
    identities_.push_back(std::move(identity));
    handles_.push_back(status == kSuccess ? gpu : nullptr);
    unopened_.push_back(status == kSuccess ? "" : calls_->error_text(status));
}

Result<std::string> Nvml::driver_version() const {
    std::array<char, nvml::kTextSize> text{};
    if (const Status status = calls_->driver_version(text.data(), nvml::kTextSize); status != kSuccess)
        return calls_->refused("tell the driver's version", status);
    return std::string(text.data());
}

std::vector<Reading> Nvml::read(Instant) {
    const NoSignals while_it_may_start_threads;
    std::vector<Reading> readings(handles_.size());
    for (std::size_t i = 0; i < handles_.size(); ++i) {
        if (handles_[i] != nullptr)
            readings[i] = Reader(*calls_, handles_[i]).read();
        else
            readings[i].error = unopened_[i];
    }
    note_xids(readings);
    return readings;
}

void Nvml::note_xids(std::vector<Reading>& readings) {
    for (const nvml::Xid& xid : xids_.take()) {
        const std::size_t at = index_of(xid.gpu);
        if (at == handles_.size()) continue;
        Reading& reading = readings[at];
        reading.xids.push_back(xid.number);
        if (reading.error.empty() && !is_fault_of_program(xid.number)) reading.error = xid_error(xid.number);
    }
}

/// Of one we know; how many we know for any other. The driver may name a GPU by another handle than ours.
std::size_t Nvml::index_of(Handle gpu) const {
    const auto at = std::find(handles_.begin(), handles_.end(), gpu);
    if (at != handles_.end()) return static_cast<std::size_t>(at - handles_.begin());
    const std::string uuid = text_of(calls_->uuid, gpu);
    const auto same = [&](const Identity& identity) { return !uuid.empty() && identity.uuid == uuid; };
    return static_cast<std::size_t>(std::find_if(identities_.begin(), identities_.end(), same) - identities_.begin());
}

}  // namespace sy::device
