// Ids as OpenAI gives them: a word for the kind and 24 random digits. Nobody can guess one.
#pragma once

#include <array>
#include <string>

#include <sys/random.h>

#include "base/check.h"
#include "service/auth/hex.h"

namespace sy::openai {

/// "file-3f…": `prefix` is "file-".
inline std::string new_id(const std::string& prefix) {
    std::array<unsigned char, 12> bytes{};
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    SY_CHECK(got == static_cast<ssize_t>(bytes.size()), "the system gives no random bytes");
    return prefix + auth::hex_of(bytes);
}

}  // namespace sy::openai
