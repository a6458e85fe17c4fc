#include "service/store/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace sy::store {

namespace {

/// What a file takes of the disk: one that was only made longer takes nothing.
std::uint64_t room_of(const std::string& path) {
    struct stat there {};
    return ::stat(path.c_str(), &there) == 0 ? static_cast<std::uint64_t>(there.st_blocks) * 512 : 0;
}

std::uint64_t free_beside(const std::string& path) {
    struct statvfs disk {};
    if (::statvfs(path.substr(0, path.rfind('/')).c_str(), &disk) != 0) return 0;
    return disk.f_bavail * disk.f_frsize;
}

}  // namespace

bool Reserve::keep() {
    if (size_ == Bytes{} || room_of(path_) >= size_.value()) return true;
    if (was_used_ && free_beside(path_) < 2 * size_.value()) return false;
    if (take_room()) return true;
    ::unlink(path_.c_str());
    return false;
}

bool Reserve::take_room() const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool taken = ::posix_fallocate(file, 0, static_cast<off_t>(size_.value())) == 0;
    ::close(file);
    return taken;
}

bool Reserve::give_up() {
    was_used_ = true;
    return ::unlink(path_.c_str()) == 0;
}

}  // namespace sy::store
