#include "service/redis/address.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace sy::redis {

namespace {

constexpr std::string_view kTcp = "redis://";
constexpr std::string_view kUnix = "unix://";
constexpr std::uint32_t kMostDatabases = 16'384;

/// Nothing where it is more than one number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::string> plain(std::string_view written) {
    std::string text;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (written[i] != '%') {
            text.push_back(written[i]);
            continue;
        }
        if (i + 2 >= written.size()) return std::nullopt;
        unsigned char byte = 0;
        const char* from = written.data() + i + 1;
        const auto [end, error] = std::from_chars(from, from + 2, byte, 16);
        if (error != std::errc{} || end != from + 2) return std::nullopt;
        text.push_back(static_cast<char>(byte));
        i += 2;
    }
    return text;
}

/// The URL itself is not quoted: it may hold a password.
tl::unexpected<Error> no_address(const char* why) {
    return fail(Fault::usage, fmt::format("that is no address of a Redis server: {}", why),
                "write redis://[user@]host[:port][/database] or unix:///path/to/socket");
}

Result<Address> with_person(Address address, std::string_view written) {
    const std::size_t colon = written.find(':');
    const auto user = plain(written.substr(0, colon));
    const auto password = colon == std::string_view::npos ? std::string() : plain(written.substr(colon + 1));
    if (!user || !password) return no_address("user or password has a '%' that is not followed by two digits");
    if (user->empty() && password->empty()) return no_address("before '@' stands a user");
    address.user = *user;
    address.password = *password;
    return address;
}

Result<Address> with_place(Address address, std::string_view written) {
    if (const std::size_t slash = written.find('/'); slash != std::string_view::npos) {
        const auto database = number_in<std::uint32_t>(written.substr(slash + 1));
        if (!database || *database >= kMostDatabases) return no_address("after '/' stands the number of a database");
        address.database = *database;
        written = written.substr(0, slash);
    }
    const std::size_t colon = written.rfind(':');
    const bool bracketed = written.starts_with('[');
    const bool has_port = colon != std::string_view::npos && (!bracketed || written[colon - 1] == ']');
    if (has_port) {
        const auto port = number_in<std::uint16_t>(written.substr(colon + 1));
        if (!port || *port == 0) return no_address("after ':' stands a port from 1 to 65535");
        address.port = *port;
        written = written.substr(0, colon);
    }
    if (bracketed && written.ends_with(']')) written = written.substr(1, written.size() - 2);
    if (written.empty()) return no_address("it names no host");
    address.host = std::string(written);
    return address;
}

}  // namespace

Result<Address> parse_address(const std::string& url) {
    const bool local = url.starts_with(kUnix);
    if (!local && !url.starts_with(kTcp)) return no_address("it begins neither with redis:// nor with unix://");
    std::string_view rest = std::string_view(url).substr(local ? kUnix.size() : kTcp.size());
    Address address;
    if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
        auto read = with_person(std::move(address), rest.substr(0, at));
        if (!read) return read;
        address = std::move(*read);
        rest = rest.substr(at + 1);
    }
    if (!local) return with_place(std::move(address), rest);
    if (!rest.starts_with('/')) return no_address("the path of a Unix socket begins with '/'");
    address.path = std::string(rest);
    return address;
}

std::string shown(const Address& address) {
    if (!address.path.empty()) return fmt::format("unix://{}", address.path);
    const bool bracketed = address.host.find(':') != std::string::npos;
    const std::string host = bracketed ? "[" + address.host + "]" : address.host;
    return fmt::format("redis://{}:{}{}", host, address.port,
                       address.database == 0 ? "" : fmt::format("/{}", address.database));
}

}  // namespace sy::redis
