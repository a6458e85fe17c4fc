// A journal entry. Whatever can be read must be written back as the same bytes: one value, one spelling.
#include <string_view>

#include "base/check.h"
#include "base/codec.h"
#include "core/model/event.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    if (const auto entry = sy::decode<sy::Entry>(text))
        SY_CHECK(sy::encode(*entry) == text, "{} bytes were read and written differently", size);
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    return {encode(Entry{kStart + 1s, SubmitTask{RequestId(7), {}}}),
            encode(Entry{kStart + 2s, AddNode{{{gigabytes(80)}}}}),
            encode(Entry{kStart + 3s, Heartbeat{GpuId(1), SessionId(2), 3, Fence(4)}}), encode(Entry{kStart, Tick{}})};
}
