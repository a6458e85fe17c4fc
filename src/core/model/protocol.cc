#include "core/model/protocol.h"

namespace sy {

namespace {
template <class Message>
GpuId address(const Message& message) {
    return message.gpu;
}
GpuId address(const StartAttempt& start) {
    return start.span.lead();
}
}  // namespace

GpuId address_of(const ToWorker& message) {
    return std::visit([](const auto& m) { return address(m); }, message);
}

}  // namespace sy
