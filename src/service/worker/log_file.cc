#include "service/worker/log_file.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace sy::worker {

namespace {
constexpr std::size_t kTail = 2048;
}

LogFile::~LogFile() {
    if (file_ >= 0) ::close(file_);
}

void LogFile::add(std::string_view bytes) {
    tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kTail));
    if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
    if (seen_ == 0 && !bytes.empty())
        file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
    const std::uint64_t room = seen_ < most_ ? most_ - seen_ : 0;
    seen_ += bytes.size();
    bytes = bytes.substr(0, std::min<std::uint64_t>(room, bytes.size()));
    while (file_ >= 0 && !bytes.empty()) {
        const ssize_t n = ::write(file_, bytes.data(), bytes.size());
        if (n <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace sy::worker
