#include "service/store/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace sy::store {

namespace {

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return ::fsync(file) == 0;
}

void sync_folder(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file);
    ::close(file);
}

}  // namespace

Result<void> write_whole(const std::string& path, std::string_view text) {
    const std::string draft = fmt::format("{}.{}.new", path, ::getpid());
    const auto refuse = [&path] {
        return fail(Fault::failed, fmt::format("{} cannot be written: {}", path, ::strerrordesc_np(errno)),
                    "is there room, and may it be written?");
    };
    const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return refuse();
    const bool written = write_all(file, text);
    const int trouble = errno;
    ::close(file);
    errno = trouble;
    if (!written || ::rename(draft.c_str(), path.c_str()) != 0) {
        auto refusal = refuse();
        ::unlink(draft.c_str());
        return refusal;
    }
    sync_folder(path);
    return {};
}

}  // namespace sy::store
