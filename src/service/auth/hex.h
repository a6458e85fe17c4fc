// Bytes as hexadecimal digits.
#pragma once

#include <span>
#include <string>

namespace sy::auth {

inline std::string hex_of(std::span<const unsigned char> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text(2 * bytes.size(), '0');
    char* digit = text.data();
    for (const unsigned char byte : bytes) {
        *digit++ = kDigits[byte >> 4U];
        *digit++ = kDigits[byte & 15U];
    }
    return text;
}

}  // namespace sy::auth
