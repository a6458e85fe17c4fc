#include "service/worker/gpu_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace sy::worker {

Result<int> lock_gpu(const std::string& folder, GpuId gpu) {
    const std::string path = fmt::format("{}/worker-{}.lock", folder, gpu.value());
    const int lock = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (lock < 0)
        return fail(Fault::failed, fmt::format("{} cannot be opened: {}", path, ::strerrordesc_np(errno)),
                    "name the folder of a server that runs");
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        ::close(lock);
        return fail(Fault::failed, fmt::format("gpu{} has a worker already", gpu.value()));
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    static_cast<void>(!::ftruncate(lock, 0));
    static_cast<void>(!::write(lock, pid.data(), pid.size()));
    return lock;
}

}  // namespace sy::worker
