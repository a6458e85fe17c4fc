// What may come on a worker's line. What is read must be what would be written.
#include "base/check.h"
#include "fuzz/target.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"

namespace {

template <class Message>
void read_all(std::string_view text) {
    sy::wire::Frames frames;
    frames.add(text);
    std::size_t at = 0;
    while (const auto message = frames.next<Message>()) {
        const std::string again = sy::wire::frame_of(*message);
        SY_CHECK(text.substr(at, again.size()) == again, "a message that is written in another way");
        at += again.size();
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(bytes), size);
    read_all<sy::wire::ToServer>(text);
    read_all<sy::wire::ToWorker>(text);
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    const wire::ToWorker assignment = wire::Assignment{{{GpuId(1), 2}, SessionId(3), TaskId(4), 1, Fence(5), 60s},
                                                       {{"sh", "-c", "true"}, {{"A", "b"}}, "/", "input"}};
    const wire::ToServer report =
        wire::DetailedReport{{GpuId(1), TaskId(4), 1, Fence(5), Outcome::failed}, {.exit_code = 3, .error = "no"}};
    return {wire::frame_of(assignment), wire::frame_of(report) + wire::frame_of(wire::ToServer(wire::Line{GpuId(1)}))};
}
