#include "input/service_values.h"

#include <algorithm>

#include "input/reading.h"

namespace sy::input {

namespace {

bool is_ipv4(std::string_view text) {
    int parts = 0;
    for (std::string_view rest = text;; ++parts) {
        const std::string_view part = rest.substr(0, rest.find('.'));
        if (part.size() > 3 || !parse_number<std::uint8_t>(part)) return false;
        if (part.size() == rest.size()) return parts == 3;
        rest.remove_prefix(part.size() + 1);
    }
}

}  // namespace

std::optional<ListenAddress> parse_listen(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !is_ipv4(text.substr(0, colon))) return std::nullopt;
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!port) return std::nullopt;
    return ListenAddress{std::string(text.substr(0, colon)), *port};
}

}  // namespace sy::input
