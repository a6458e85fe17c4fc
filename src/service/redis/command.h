// Command: one command to Redis in the form in which it is sent: a count, and each part with its length. It may be kept
// and sent again.
#pragma once

#include <charconv>
#include <concepts>
#include <cstring>
#include <string>
#include <string_view>

namespace sy::redis {

class Command {
public:
    template <class... Parts>
    explicit Command(const Parts&... parts) : bytes_(kHead, '\0') {
        (add(parts), ...);
    }

    Command& add(std::string_view part) {
        write_length('$', part.size());
        bytes_.append(part).append("\r\n");
        ++parts_;
        return *this;
    }
    /// One part, of two pieces.
    Command& add(std::string_view head, std::string_view tail) {
        write_length('$', head.size() + tail.size());
        bytes_.append(head).append(tail).append("\r\n");
        ++parts_;
        return *this;
    }
    template <std::integral Number>
    Command& add(Number number) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
    }

    std::size_t parts() const { return parts_; }
    std::size_t size() const { return bytes_.size(); }

    /// As it is sent. The count is known last and stands first: there is room kept for it.
    std::string_view bytes() {
        char digits[kHead];
        const auto end = std::to_chars(digits, digits + sizeof digits, parts_).ptr;
        const auto length = static_cast<std::size_t>(end - digits);
        const std::size_t from = kHead - length - 3;
        bytes_[from] = '*';
        std::memcpy(bytes_.data() + from + 1, digits, length);
        std::memcpy(bytes_.data() + kHead - 2, "\r\n", 2);
        return std::string_view(bytes_).substr(from);
    }

private:
    static constexpr std::size_t kHead = 24;

    void write_length(char kind, std::size_t length) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, length).ptr;
        bytes_.push_back(kind);
        bytes_.append(digits, end).append("\r\n");
    }

    std::string bytes_;
    std::size_t parts_ = 0;
};

}  // namespace sy::redis
