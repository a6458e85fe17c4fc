// A stand-in for NVIDIA's library with two cards, so that the real loading path can be tested without a driver.
// FAKE_NVML_BROKEN makes its start fail.
#include <cstdlib>
#include <cstring>

extern "C" {

struct Memory {
    unsigned long long total, free, used;
};

int nvmlInit_v2() {
    return std::getenv("FAKE_NVML_BROKEN") != nullptr ? 9 : 0;
}
int nvmlShutdown() {
    return 0;
}
const char* nvmlErrorString(int) {
    return "Driver Not Loaded";
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::strncpy(text, "999.1", size);
    return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    static int cards[2];
    *device = &cards[index];
    return 0;
}
int nvmlDeviceGetName(void*, char* text, unsigned size) {
    std::strncpy(text, "Fake Card", size);
    return 0;
}
int nvmlDeviceGetMemoryInfo(void*, Memory* memory) {
    *memory = {80'000'000'000, 79'000'000'000, 1'000'000'000};
    return 0;
}
}
