#include "service/store/written_mark.h"

#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace sy::store {

WrittenMark::WrittenMark(const std::string& folder, const RedisPlace& place)
    : path_(folder + "/written-to-redis"), place_(fmt::format("{} {}", shown(place.address), place.prefix)) {}

WrittenMark::~WrittenMark() {
    if (file_ >= 0) ::close(file_);
}

WrittenMark::WrittenMark(WrittenMark&& other) noexcept
    : path_(std::move(other.path_)), place_(std::move(other.place_)), file_(std::exchange(other.file_, -1)) {}

Seen WrittenMark::read() const {
    std::ifstream file(path_);
    std::uint64_t term = 0;
    std::uint64_t last = 0;
    std::string place;
    if (!(file >> term >> last) || !std::getline(file >> std::ws, place) || place != place_) return {};
    return {Term(term), last};
}

/// In one write, of the same length each time.
void WrittenMark::write(const Seen& written) {
    if (file_ < 0) {
        file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file_ < 0) return;
    }
    const std::string line = fmt::format("{:020} {:020} {}\n", written.term.value(), written.last, place_);
    static_cast<void>(!::pwrite(file_, line.data(), line.size(), 0));
}

}  // namespace sy::store
