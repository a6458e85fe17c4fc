// Signals a command may ask for, by name. Those that cannot be caught or that stop a process are none of them.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace sy::process {

inline constexpr std::array<std::pair<std::string_view, int>, 6> kSignals{
    {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}}};

constexpr std::optional<std::uint8_t> signal_named(std::string_view name) {
    for (const auto& [known, number] : kSignals)
        if (known == name) return static_cast<std::uint8_t>(number);
    return std::nullopt;
}

constexpr std::string_view name_of_signal(std::uint8_t signal) {
    for (const auto& [known, number] : kSignals)
        if (number == signal) return known;
    return "";
}

}  // namespace sy::process
