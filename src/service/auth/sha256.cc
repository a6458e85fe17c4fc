#include "service/auth/sha256.h"

#include <array>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "service/auth/hex.h"

namespace sy::auth {

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, 32> digest{};
    unsigned size = 0;
    static EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);  // to find it costs as much as to use it
    const int done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, kSha256, nullptr);
    SY_CHECK(done == 1 && size == digest.size(), "SHA-256 of {} bytes failed", bytes.size());
    return hex_of(digest);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace sy::auth
