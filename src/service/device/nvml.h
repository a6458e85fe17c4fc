// Nvml: NVIDIA's GPUs, as its management library shows them, opened at run time.
//
// No header of it is needed to build and no driver to start: where the library is missing, `open` says so. Only reads;
// nothing here changes a card's settings. GPUs that we may not use are left out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "service/device/devices.h"
#include "service/device/nvml_events.h"

namespace sy::device {

class Nvml final : public Devices {
public:
    /// `library` is a file name for the loader to find.
    static Result<std::unique_ptr<Nvml>> open(const std::string& library = "libnvidia-ml.so.1");

    Result<std::string> driver_version() const;
    /// In the driver's order.
    const std::vector<Identity>& identities() const override { return identities_; }
    std::vector<Reading> read(Instant now) override;

private:
    explicit Nvml(std::shared_ptr<const nvml::Calls> calls);
    void add(unsigned index);
    void note_xids(std::vector<Reading>& readings);
    std::size_t index_of(nvml::Handle gpu) const;

    std::shared_ptr<const nvml::Calls> calls_;
    nvml::XidWatch xids_;
    std::vector<Identity> identities_;
    std::vector<nvml::Handle> handles_;  ///< By GPU; null for one that could not be opened.
    std::vector<std::string> unopened_;  ///< By GPU: why not.
};

}  // namespace sy::device
