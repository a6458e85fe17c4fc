// Address: where a Redis server is and as whom to speak to it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sy::redis {

struct Address {
    std::string host;  ///< A name or an address; empty where `path` counts.
    std::uint16_t port = 6379;
    std::string path;      ///< Of a Unix socket.
    std::string user;      ///< Empty: the default one.
    std::string password;  ///< Empty: none is asked for.
    std::uint32_t database = 0;

    friend bool operator==(const Address&, const Address&) = default;
};

/// "redis://[user[:password]@]host[:port][/database]" or "unix://[user[:password]@]/path/to/socket". What is special in
/// a user or a password is written as %XX.
Result<Address> parse_address(const std::string& url);

/// For people and logs: without the password.
std::string shown(const Address& address);

}  // namespace sy::redis
