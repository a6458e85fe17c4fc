// Values of the service's configuration that are more than a number or a word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sy::input {

/// "127.0.0.1:7878".
struct ListenAddress {
    std::string address;
    std::uint16_t port = 0;

    bool is_loopback() const { return address.starts_with("127."); }
};
std::optional<ListenAddress> parse_listen(std::string_view text);

}  // namespace sy::input
