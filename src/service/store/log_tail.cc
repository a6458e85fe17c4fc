// The format is SQLite's (https://www.sqlite.org/fileformat2.html#the_write_ahead_log): a header of 32 bytes, then
// frames, each a header of 24 bytes and a page. Two salts in both say which frames are of the same time: when the log
// has been copied into the database it is written anew from its beginning with other salts, and older frames lie behind
// the new ones. A frame's checksum goes on from that of the frame before it.
#include "service/store/log_tail.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace sy::store {

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kFrameHeader = 24;
/// Where each stands in the header of a frame.
enum : std::size_t { kPages = 4, kSalts = 8, kChecksum = 16 };
constexpr std::uint32_t kMagic = 0x377f0682;  ///< Its last bit: checksums are of big-endian words.

using Salts = std::uint64_t;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
    const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(bytes[at + i])}; };
    return byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3);
}

std::uint64_t pair_at(std::string_view bytes, std::size_t at) {
    return std::uint64_t{big_endian(bytes, at)} << 32U | big_endian(bytes, at + 4);
}

struct Checksum {
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    static Checksum of(std::uint64_t value) {
        return {static_cast<std::uint32_t>(value >> 32U), static_cast<std::uint32_t>(value)};
    }

    void add(std::string_view bytes, bool is_big_endian) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            first += word(bytes, at, is_big_endian) + second;
            second += word(bytes, at + 4, is_big_endian) + first;
        }
    }
    std::uint64_t value() const { return std::uint64_t{first} << 32U | second; }

private:
    static std::uint32_t word(std::string_view bytes, std::size_t at, bool is_big_endian) {
        const std::uint32_t word = big_endian(bytes, at);
        return is_big_endian ? word : __builtin_bswap32(word);
    }
};

/// One log, frame by frame.
class Frames {
public:
    Frames(std::ifstream& file, std::string_view header)
        : file_(file),
          is_big_endian_((big_endian(header, 0) & 1U) != 0),
          salts_(pair_at(header, 16)),
          frame_(kFrameHeader + big_endian(header, 8), '\0') {
        sum_.add(header.substr(0, 24), is_big_endian_);
        is_header_good_ = sum_.value() == pair_at(header, 24);
    }

    bool is_header_good() const { return is_header_good_; }
    std::size_t frame_bytes() const { return frame_.size(); }
    /// Goes on to the next whole one; false where there is none.
    bool next() { return static_cast<bool>(file_.read(frame_.data(), static_cast<std::streamsize>(frame_.size()))); }
    /// Of the part of a frame at the end that `next` could not read; too short a part cannot tell.
    bool is_rest_of_this_time() const {
        return file_.gcount() >= static_cast<std::streamsize>(kChecksum) && is_of_this_time();
    }
    bool is_there_a_rest() const { return file_.gcount() > 0; }
    bool is_of_this_time() const { return pair_at(frame_, kSalts) == salts_; }
    bool is_commit() const { return big_endian(frame_, kPages) != 0; }
    std::uint64_t checksum() const { return pair_at(frame_, kChecksum); }
    /// To be asked of one after another, until one is not.
    bool is_good() {
        add_to(sum_);
        return is_of_this_time() && sum_.value() == checksum();
    }
    /// Whether it was written behind the one that has this checksum.
    bool goes_on_from(std::uint64_t one) const {
        Checksum sum = Checksum::of(one);
        add_to(sum);
        return sum.value() == checksum();
    }

private:
    void add_to(Checksum& sum) const {
        sum.add(std::string_view(frame_).substr(0, 8), is_big_endian_);
        sum.add(std::string_view(frame_).substr(kFrameHeader), is_big_endian_);
    }

    std::ifstream& file_;
    bool is_big_endian_;
    Salts salts_;
    std::string frame_;
    Checksum sum_;
    bool is_header_good_ = false;
};

bool is_page_size(std::uint32_t bytes) {
    return bytes >= 512 && bytes <= 65'536 && (bytes & (bytes - 1)) == 0;
}

bool is_header(std::string_view bytes) {
    return (big_endian(bytes, 0) & ~1U) == kMagic && is_page_size(big_endian(bytes, 8));
}

tl::unexpected<Error> damaged(const std::string& log, std::uint64_t at) {
    return fail(Fault::failed, fmt::format("{} is damaged at byte {}, and commits behind that were answered", log, at),
                "restore the folder from a copy; do not delete it, it may hold the only record");
}

/// From the first frame that is not good on.
struct FromThere {
    std::uint64_t at = 0;
    std::uint64_t end = 0;           ///< Of the last frame behind it that is of its time.
    bool has_commit = false;         ///< It is one, or there is one behind it.
    bool followed_a_commit = false;  ///< By something of its time.

    /// The checksum of a commit that is either of an earlier time, where ours never came to lie, or ours with rotten
    /// salts: the next frame tells.
    std::optional<std::uint64_t> doubtful;

    void add(const Frames& frame, std::uint64_t frame_end) {
        if (frame.is_of_this_time()) {
            has_commit = has_commit || (doubtful && frame.goes_on_from(*doubtful));
            add_what_is_of_this_time(frame_end);
            has_commit = has_commit || frame.is_commit();
            doubtful.reset();
        } else {
            doubtful = frame.is_commit() && end == 0 ? std::optional(frame.checksum()) : std::nullopt;
        }
    }
    void add_what_is_of_this_time(std::uint64_t its_end) {
        followed_a_commit = followed_a_commit || has_commit;
        end = its_end;
    }
};

}  // namespace

Result<std::uint64_t> unfinished_bytes(const std::string& log) {
    std::ifstream file(log, std::ios::binary | std::ios::ate);
    const auto size = file ? static_cast<std::uint64_t>(file.tellg()) : 0;
    if (size <= kHeader) return 0U;
    std::string header(kHeader, '\0');
    file.seekg(0).read(header.data(), kHeader);
    if (!is_header(header)) return damaged(log, 0);
    Frames frames(file, header);
    if (!frames.is_header_good()) return damaged(log, 0);  // it was synced before the first frame was written

    std::uint64_t at = kHeader;
    std::uint64_t whole = kHeader;  // up to here all is well
    std::optional<FromThere> broken;
    for (; frames.next(); at += frames.frame_bytes()) {
        const std::uint64_t end = at + frames.frame_bytes();
        if (!broken && frames.is_good()) {
            if (frames.is_commit()) whole = end;
            continue;
        }
        if (!broken) broken = FromThere{.at = at};
        broken->add(frames, end);
    }
    if (broken && frames.is_rest_of_this_time()) broken->add_what_is_of_this_time(size);
    if (broken && broken->followed_a_commit) return damaged(log, broken->at);
    const std::uint64_t end = broken ? std::max(broken->end, broken->at) : frames.is_there_a_rest() ? size : at;
    return end - whole;
}

}  // namespace sy::store
