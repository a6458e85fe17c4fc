#include "service/metrics/process.h"

#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sy::metrics {

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t resident_bytes() {
    std::uint64_t whole = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> whole >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t file_bytes(const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

}  // namespace sy::metrics
