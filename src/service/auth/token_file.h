// The file of tokens: who may use the service over TCP. It holds no token, only what each hashes to.
//
// A token is 256 random bits, said once when it is made. The file is its owner's alone and is replaced as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/auth/role.h"

namespace sy::auth {

/// Seconds since 1970.
using UnixTime = std::int64_t;

struct TokenRecord {
    std::string id;  ///< To name it by; no secret.
    Role role = Role::read;
    std::string owner;
    UnixTime created = 0;
    std::optional<UnixTime> expires;
    std::optional<UnixTime> revoked;
    std::string sha256;

    bool is_good(UnixTime now) const { return !revoked && (!expires || now < *expires); }
};

struct NewToken {
    std::string token;  ///< For its owner; kept nowhere.
    TokenRecord record;
};

inline constexpr std::size_t kMostTokens = 10'000;
inline constexpr std::size_t kMostOwner = 100;

/// The file must be closed to others.
Result<std::vector<TokenRecord>> read_tokens(const std::string& path);

/// Adds one to the file, which is made where there is none.
Result<NewToken> create_token(const std::string& path, Role role, const std::string& owner, UnixTime now,
                              std::optional<UnixTime> expires);
/// From now on it opens nothing.
Result<TokenRecord> revoke_token(const std::string& path, std::string_view id, UnixTime now);

/// Every record is compared, so that the time taken tells nothing. Nothing where none is good for this token.
const TokenRecord* find_token(const std::vector<TokenRecord>& records, std::string_view token, UnixTime now);

}  // namespace sy::auth
