// A clock that jumps, to be loaded before a program's own libraries (LD_PRELOAD): the time of day is as far off as the
// file JUMPING_CLOCK says, in seconds, a number of eight bytes. The clock that only counts is left alone, as it is when
// somebody sets a machine's time.
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

/// Shared by all processes that look at the file.
const volatile std::int64_t* shared_offset() {
    static const std::int64_t kNone = 0;
    const char* path = std::getenv("JUMPING_CLOCK");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return &kNone;
    void* seen = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    return seen == MAP_FAILED ? &kNone : static_cast<const volatile std::int64_t*>(seen);
}

std::int64_t offset() {
    static const volatile std::int64_t* const kOffset = shared_offset();
    return *kOffset;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    static const auto call = reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
    const int done = call(clock, time);
    if (done == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += offset();
    return done;
}

int gettimeofday(timeval* time, void*) noexcept {
    timespec now{};
    const int done = clock_gettime(CLOCK_REALTIME, &now);
    *time = {now.tv_sec, now.tv_nsec / 1000};
    return done;
}

std::time_t time(std::time_t* out) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != nullptr) *out = now.tv_sec;
    return now.tv_sec;
}

}  // extern "C"
