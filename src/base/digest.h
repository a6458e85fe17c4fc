// Digest: one number that stands for a long run of bytes (FNV-1a, 64 bits).
//
// Two runs with equal digests did the same things; it guards against accidents, not against malice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sy {

class Digest {
public:
    void add(std::string_view bytes) {
        for (const char c : bytes) add_byte(static_cast<unsigned char>(c));
    }
    void add(std::uint64_t number) {
        for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<unsigned char>(number >> shift));
    }

    std::uint64_t value() const { return value_; }
    /// Sixteen hexadecimal digits.
    std::string text() const;

private:
    void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }

    std::uint64_t value_ = 0xcbf29ce484222325U;
};

inline std::uint64_t digest_of(std::string_view bytes) {
    Digest digest;
    digest.add(bytes);
    return digest.value();
}

}  // namespace sy
