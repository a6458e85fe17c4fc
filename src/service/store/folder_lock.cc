#include "service/store/folder_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace sy::store {

Result<FolderLock> FolderLock::take(const std::string& folder) {
    const std::string path = folder + "/lock";
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return fail(Fault::failed, fmt::format("{} cannot be opened: error {}", path, errno),
                    "name a folder that may be written");
    FolderLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) != 0)
        return fail(Fault::failed, fmt::format("another server uses the folder {}", folder),
                    "stop it, or give this one another folder");
    return lock;
}

FolderLock::~FolderLock() {
    if (file_ >= 0) ::close(file_);
}

}  // namespace sy::store
