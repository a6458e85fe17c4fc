#include "input/service_values.h"

#include <algorithm>

#include "input/reading.h"

namespace sy::input {

namespace {

constexpr std::string_view kSimulated = "simulated:";
constexpr std::uint64_t kMostSimulated = 1024;
constexpr std::uint64_t kMostGigabytes = 1'000'000;

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

std::optional<SimulatedGpus> parse_simulated(std::string_view text) {
    if (!text.starts_with(kSimulated)) return std::nullopt;
    text.remove_prefix(kSimulated.size());
    const std::size_t x = text.find('x');
    const auto count = parse_number<std::uint64_t>(text.substr(0, x));
    SimulatedGpus gpus;
    const auto each =
        x == std::string_view::npos ? std::optional(gpus.gigabytes) : parse_number<std::uint64_t>(text.substr(x + 1));
    if (!count || !each || *count == 0 || *count > kMostSimulated || *each > kMostGigabytes) return std::nullopt;
    return SimulatedGpus{*count, *each};
}

}  // namespace sy::input
