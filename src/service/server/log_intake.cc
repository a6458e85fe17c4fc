#include "service/server/log_intake.h"

#include <algorithm>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sy::server {

std::uint64_t LogIntake::take(const wire::LogBytes& part) const {
    const std::string path =
        fmt::format("{}/{}-{}.{}", folder_, part.log.task.value(), part.log.attempt, part.log.errors ? "err" : "out");
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
    if (file < 0) return kNoMoreOfIt;
    struct stat there {};
    ::fstat(file, &there);
    auto size = static_cast<std::uint64_t>(there.st_size);
    if (part.from <= size && part.from < most_) {
        std::string_view bytes = std::string_view(part.bytes).substr(0, most_ - part.from);
        for (std::uint64_t at = part.from; !bytes.empty();) {
            const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
            if (n <= 0) {
                size = kNoMoreOfIt;  // no room: the rest is dropped, as it is of tasks of this machine
                break;
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
            at += static_cast<std::uint64_t>(n);
            size = std::max(size, at);
        }
    }
    ::close(file);
    return size >= most_ ? kNoMoreOfIt : size;
}

}  // namespace sy::server
