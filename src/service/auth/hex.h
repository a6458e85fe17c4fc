// Bytes as hexadecimal digits.
#pragma once

#include <span>
#include <string>

namespace sy::auth {

inline std::string hex_of(std::span<const unsigned char> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    return text;
}

}  // namespace sy::auth
