#include "service/device/nvml_events.h"

#include <utility>

namespace sy::device::nvml {

namespace {

constexpr std::size_t kMostAtOnce = 256;

}  // namespace

XidWatch::XidWatch(std::shared_ptr<const Calls> calls) : calls_(std::move(calls)) {
    const bool can = calls_->free_event_set != nullptr && calls_->wait_for_event != nullptr;
    if (!can || ask(calls_->make_event_set, &set_) != kSuccess) set_ = nullptr;
}

XidWatch::~XidWatch() {
    if (set_ != nullptr) calls_->free_event_set(set_);
}

void XidWatch::watch(Handle gpu) {
    if (set_ != nullptr) ask(calls_->register_events, gpu, kXidEvent, set_);
}

std::vector<Xid> XidWatch::take() {
    std::vector<Xid> xids;
    Event event{};
    while (set_ != nullptr && xids.size() < kMostAtOnce && calls_->wait_for_event(set_, &event, 0) == kSuccess)
        xids.push_back({event.device, event.data});
    return xids;
}

}  // namespace sy::device::nvml
