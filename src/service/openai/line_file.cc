#include "service/openai/line_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace sy::openai {

namespace {

constexpr std::size_t kAtOnce = std::size_t{1} << 20U;

std::string draft_of(const std::string& path) {
    return path + ".new";
}

}  // namespace

LineFile::~LineFile() {
    if (file_ < 0) return;
    ::close(file_);
    ::unlink(draft_of(path_).c_str());
}

Result<void> LineFile::open(const std::string& path) {
    path_ = path;
    file_ = ::open(draft_of(path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file_ < 0) return fail(Fault::failed, fmt::format("{} cannot be made: {}", path, ::strerrordesc_np(errno)));
    return {};
}

void LineFile::add(std::string_view text) {
    unwritten_ += text;
    bytes_ += text.size();
    if (unwritten_.size() >= kAtOnce) write_out();
}

void LineFile::write_out() {
    std::string_view left = unwritten_;
    while (!left.empty() && trouble_ == 0) {
        const ssize_t n = ::write(file_, left.data(), left.size());
        if (n <= 0) trouble_ = n < 0 ? errno : EIO;
        if (n > 0) left.remove_prefix(static_cast<std::size_t>(n));
    }
    unwritten_.clear();
}

Result<void> LineFile::finish() {
    write_out();
    if (trouble_ == 0 && ::fsync(file_) != 0) trouble_ = errno;
    ::close(std::exchange(file_, -1));
    if (trouble_ == 0 && ::rename(draft_of(path_).c_str(), path_.c_str()) != 0) trouble_ = errno;
    if (trouble_ == 0) return {};
    ::unlink(draft_of(path_).c_str());
    return fail(Fault::failed, fmt::format("{} cannot be written: {}", path_, ::strerrordesc_np(trouble_)));
}

}  // namespace sy::openai
