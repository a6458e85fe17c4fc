// The records of this list have had three widths. The first call of that name writes 16 bytes (process, memory), those
// ending in _v2 and _v3 write 24 (the MIG slice as well), and drivers 535.43 to 535.86 write 32 under the name _v3. All
// begin alike. So we give room for the widest, mark it, and see from the marks that are left how wide a record was.
#include "service/device/nvml_processes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace sy::device::nvml {

namespace {

constexpr std::size_t kWidest = 32;
constexpr std::size_t kUsual = 24;
constexpr std::size_t kNarrowest = 16;
constexpr std::size_t kMemoryAt = 8;
constexpr unsigned char kMark = 0xa5;
constexpr unsigned kUsualRoom = 64;

std::size_t width_of_records(const std::vector<unsigned char>& bytes, std::size_t count) {
    std::size_t written = bytes.size();
    while (written > 0 && bytes[written - 1] == kMark) --written;
    if (written > count * kWidest) return kUsual;  // a driver that tidies up all the room tells nothing
    return std::max(kNarrowest, ((written + count - 1) / count + 7) / 8 * 8);
}

ProcessUse use_in(const unsigned char* record) {
    unsigned pid = 0;
    unsigned long long memory = 0;
    std::memcpy(&pid, record, sizeof pid);
    std::memcpy(&memory, record + kMemoryAt, sizeof memory);
    ProcessUse use{.pid = static_cast<pid_t>(pid), .memory = {}};
    if (memory != kNotAvailable) use.memory = Bytes(memory);
    return use;
}

}  // namespace

ProcessList list_processes(const Calls& calls, Handle gpu) {
    ProcessList list;
    std::vector<unsigned char> bytes;
    unsigned count = 0;
    for (unsigned room = kUsualRoom; room <= kMostProcesses; room *= 4) {  // more may come between two calls
        bytes.assign(room * kWidest, kMark);
        count = room;
        list.status = ask(calls.processes, gpu, &count, static_cast<void*>(bytes.data()));
        if (list.status != kInsufficientSize) break;
    }
    if (list.status != kSuccess || count == 0) return list;
    const std::size_t width = width_of_records(bytes, count);
    for (std::size_t i = 0; i < count && (i + 1) * width <= bytes.size(); ++i)
        list.processes.push_back(use_in(bytes.data() + i * width));
    return list;
}

}  // namespace sy::device::nvml
