// Any history of events: the brain must neither break a check nor lose its way through a snapshot.
#include <string_view>

#include "base/check.h"
#include "base/codec.h"
#include "core/control/core.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    sy::ByteReader reader(std::string_view(reinterpret_cast<const char*>(bytes), size));
    sy::control::Core core{sy::control::Settings{}};
    while (reader.ok() && !reader.at_end()) {
        sy::Entry entry;
        reader.get(entry);
        if (reader.ok()) core.step(entry.event, entry.at);
    }
    const std::string snapshot = core.snapshot();
    const auto restored = sy::control::Core::restore(snapshot, {});
    SY_CHECK(restored.has_value() && restored->snapshot() == snapshot, "a state did not survive its own snapshot");
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    std::string history;
    const auto then = [&](const Event& event) { history += encode(Entry{kStart + 1s, event}); };
    then(AddNode{std::vector(4, GpuSpec{gigabytes(80)})});
    for (std::uint32_t i = 0; i < 4; ++i) then(Hello{GpuId(i), {1, 1}});
    for (GpuCount gpus : {1U, 2U, 1U, 3U})
        then(SubmitTask{RequestId(1), {.retries = 2, .demand = {gpus, gigabytes(1)}}});
    then(Report{GpuId(0), TaskId(1), 1, Fence(1), Outcome::failed});
    then(CancelTask{RequestId(2), TaskId(2)});
    then(Heartbeat{GpuId(1), SessionId(2), 1, Fence(2)});
    then(Report{GpuId(1), TaskId(2), 1, Fence(2), Outcome::stopped});
    history += encode(Entry{kStart + 60s, Tick{}});
    return {history};
}
