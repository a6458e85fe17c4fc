// A stand-in for NVIDIA's library, so that the real loading path can be tested without a driver. It has two cards, or
// what a script says (nvml_script.h). FAKE_NVML_BROKEN makes its start fail. Built a second time as an old driver,
// which lacks the calls that came later and whose list of processes is narrower, and a third time with the wide list of
// 535.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fake/nvml_script.h"

namespace {

[[maybe_unused]] constexpr int kNotSupported = 3;
[[maybe_unused]] constexpr int kNotFound = 6;
constexpr int kInsufficientSize = 7;
[[maybe_unused]] constexpr int kTimeout = 10;
constexpr unsigned kMostCards = 16;
constexpr unsigned kMostSlices = 7;

bool signals_get_through = false;  ///< To a thread that the library would start.

void look_at_signals() {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    signals_get_through = signals_get_through || sigismember(&blocked, SIGTERM) == 0;
}

char cards[kMostCards];
char slices[kMostCards * kMostSlices];

/// The script of the card behind a handle, or of the card that a slice belongs to.
struct Asked {
    fake::Script script = fake::read_script();
    unsigned index;
    explicit Asked(const void* device) : index(static_cast<unsigned>(static_cast<const char*>(device) - cards)) {}
    fake::Card& card() { return script.card[index]; }
    int status(const std::string& call) {
        for (const std::string& key : {call, std::string("all")})
            if (const auto at = card().failures.find(key); at != card().failures.end()) return at->second;
        return 0;
    }
    template <class Number>
    int give(const std::string& call, unsigned long long otherwise, Number* number) {
        if (const int failure = status(call); failure != 0) return failure;
        const auto at = card().values.find(call);
        *number = static_cast<Number>(at == card().values.end() ? otherwise : at->second);
        return 0;
    }
};

bool is_slice(const void* device) {
    return device >= slices && device < slices + sizeof slices;
}

void write(char* text, unsigned size, const std::string& words) {
    std::strncpy(text, words.c_str(), size);
}

template <class Record>
int list(const void* device, unsigned* count, Record* records) {
    Asked asked(device);
    if (const int failure = asked.status("process"); failure != 0) return failure;
    const auto& processes = asked.card().processes;
    const unsigned room = *count;
    *count = static_cast<unsigned>(processes.size());
    if (room < processes.size()) return kInsufficientSize;
    for (std::size_t i = 0; i < processes.size(); ++i) {
        std::memset(&records[i], 0, sizeof(Record));
        records[i].pid = processes[i].first;
        records[i].memory = processes[i].second;
    }
    return 0;
}

}  // namespace

extern "C" {

struct Memory {
    unsigned long long total, free, used;
};
struct Utilization {
    unsigned gpu, memory;
};
struct Event {
    void* device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};
struct NarrowProcess {
    unsigned pid;
    unsigned long long memory;
};
struct Process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};
struct WideProcess {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
    unsigned long long protected_memory;
};

int fakeSignalsGetThrough() {
    return signals_get_through ? 1 : 0;
}

int nvmlInit_v2() {
    look_at_signals();
    return std::getenv("FAKE_NVML_BROKEN") != nullptr ? 9 : 0;
}
int nvmlShutdown() {
    return 0;
}
const char* nvmlErrorString(int status) {
    switch (status) {
        case 9: return "Driver Not Loaded";
        case 15: return "GPU is lost";
        case 16: return "GPU requires reset";
        default: return "Unknown Error";
    }
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    write(text, size, "999.1");
    return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = fake::read_script().cards;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = &cards[index];
    return Asked(*device).status("handle");
}
int nvmlDeviceGetName(void*, char* text, unsigned size) {
    write(text, size, "NVIDIA Fake-SXM9-80GB");
    return 0;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
    if (is_slice(device)) {
        const auto at = static_cast<unsigned>(static_cast<char*>(device) - slices);
        write(text, size, Asked(&cards[at / kMostSlices]).card().slices[at % kMostSlices]);
        return 0;
    }
    write(text, size, "GPU-fake-" + std::to_string(static_cast<char*>(device) - cards));
    return Asked(device).status("uuid");
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) {
    constexpr unsigned long long kTotal = 80'000'000'000;
    memory->total = kTotal;
    const int status = Asked(device).give("used", 1'000'000'000, &memory->used);
    memory->free = kTotal - memory->used;
    return status;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates) {
    return Asked(device).give("utilization", 0, &rates->gpu);
}
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius) {
    return sensor == 0 ? Asked(device).give("temperature", 30, celsius) : 2;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
    return Asked(device).give("power", 70'000, milliwatts);
}
int nvmlDeviceGetClockInfo(void* device, unsigned which, unsigned* megahertz) {
    return which == 1 ? Asked(device).give("clock", 345, megahertz) : 2;
}
int nvmlDeviceGetTotalEccErrors(void* device, unsigned type, unsigned since, unsigned long long* errors) {
    return type == 1 && since == 0 ? Asked(device).give("ecc", 0, errors) : 2;
}

int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count, NarrowProcess* records) {
    return list(device, count, records);
}
#ifndef FAKE_NVML_OLD
#ifdef FAKE_NVML_WIDE
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, WideProcess* records) {
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* records) {
#endif
    return list(device, count, records);
}
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* count, Process* records) {
    return list(device, count, records);
}
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* after_reset) {
    *now = *after_reset = Asked(device).card().slices.empty() ? 0 : 1;
    return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* most) {
    *most = kMostSlices;
    return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** slice) {
    Asked asked(device);
    *slice = &slices[asked.index * kMostSlices + index];
    return index < asked.card().slices.size() ? 0 : kNotFound;
}
int nvmlEventSetCreate(void** set) {
    look_at_signals();
    *set = new std::size_t(0);  // how many lines have been told
    return 0;
}
int nvmlEventSetFree(void* set) {
    delete static_cast<std::size_t*>(set);
    return 0;
}
int nvmlDeviceRegisterEvents(void* device, unsigned long long types, void*) {
    return types == 8 ? Asked(device).status("events") : kNotSupported;
}
int nvmlEventSetWait_v2(void* set, Event* event, unsigned) {
    look_at_signals();
    auto& told = *static_cast<std::size_t*>(set);
    const auto script = fake::read_script();
    if (told >= script.xids.size()) return kTimeout;
    const auto& [index, number] = script.xids[told++];
    *event = {&cards[index], 8, number, ~0U, ~0U};
    return 0;
}
#endif
}
