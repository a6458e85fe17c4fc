// XidWatch: hears of XIDs, the driver's reports of what went wrong on a GPU. Without the calls for it, hears nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "service/device/nvml_calls.h"

namespace sy::device::nvml {

struct Xid {
    Handle gpu;
    std::uint64_t number;
};

class XidWatch {
public:
    explicit XidWatch(std::shared_ptr<const Calls> calls);
    XidWatch(const XidWatch&) = delete;
    XidWatch& operator=(const XidWatch&) = delete;
    ~XidWatch();

    void watch(Handle gpu);
    /// What came since the last time, without waiting; at most 256, the rest the next time.
    std::vector<Xid> take();

private:
    std::shared_ptr<const Calls> calls_;
    EventSet set_ = nullptr;
};

}  // namespace sy::device::nvml
