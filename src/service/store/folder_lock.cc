#include "service/store/folder_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace sy::store {

namespace {

using namespace std::chrono_literals;

/// A server that was killed while it started a process leaves a child that has the lock until it becomes that process.
constexpr auto kPatience = 2000ms;
constexpr auto kBetweenTries = 10ms;

}  // namespace

Result<FolderLock> FolderLock::take(const std::string& folder) {
    const std::string path = folder + "/lock";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return fail(Fault::failed, fmt::format("{} cannot be opened: error {}", path, errno),
                    "name a folder that may be written");
    FolderLock lock(file);
    bool taken = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    for (auto waited = 0ms; !taken && waited < kPatience; waited += kBetweenTries) {
        std::this_thread::sleep_for(kBetweenTries);
        taken = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    }
    if (!taken)
        return fail(Fault::failed, fmt::format("another server uses the folder {}", folder),
                    "stop it, or give this one another folder");
    return lock;
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace sy::store
