// Frames: messages on a stream of bytes. Four bytes say how long one is, little end first, then its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.h"

namespace sy::wire {

/// Whoever sends more than this is not one of ours.
inline constexpr std::size_t kLargestFrame = std::size_t{16} << 20U;

/// Behind what is there already.
template <class Message>
void add_frame(std::string& stream, const Message& message) {
    ByteWriter writer;
    writer.put(message);
    const std::string_view bytes = writer.bytes();
    for (unsigned shift = 0; shift < 32; shift += 8)
        stream.push_back(static_cast<char>(static_cast<std::uint32_t>(bytes.size()) >> shift));
    stream += bytes;
}

template <class Message>
std::string frame_of(const Message& message) {
    std::string frame;
    add_frame(frame, message);
    return frame;
}

/// Collects what arrives and gives back whole messages.
class Frames {
public:
    void add(std::string_view bytes) { bytes_ += bytes; }

    /// Whether what came cannot be messages of ours; nothing more will come out.
    bool is_broken() const { return broken_; }

    template <class Message>
    std::optional<Message> next() {
        if (broken_ || bytes_.size() - at_ < kHead) return tidy<Message>();
        std::size_t size = 0;
        for (unsigned i = 0; i < kHead; ++i)
            size |= std::size_t{static_cast<unsigned char>(bytes_[at_ + i])} << (8 * i);
        if (size > kLargestFrame) broken_ = true;
        if (broken_ || bytes_.size() - at_ - kHead < size) return tidy<Message>();
        auto message = decode<Message>(std::string_view(bytes_).substr(at_ + kHead, size));
        at_ += kHead + size;
        if (!message) broken_ = true;
        return message;
    }

private:
    static constexpr std::size_t kHead = 4;

    /// Nothing whole is there: a good moment to drop what was read.
    template <class Message>
    std::optional<Message> tidy() {
        bytes_.erase(0, at_);
        at_ = 0;
        return std::nullopt;
    }

    std::string bytes_;
    std::size_t at_ = 0;
    bool broken_ = false;
};

}  // namespace sy::wire
