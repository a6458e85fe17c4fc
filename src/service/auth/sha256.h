// The door to OpenSSL: the only file that knows it is sha256.cc.
#pragma once

#include <string>
#include <string_view>

namespace sy::auth {

/// 64 hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// Takes as long whether they differ early, late or not at all. Of different lengths: false at once.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace sy::auth
