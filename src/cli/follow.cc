#include "cli/follow.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/remote.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kPatienceWithServers{60};
constexpr std::chrono::milliseconds kBetweenTries{100};
/// Events tell of everything; this is for the case that they do not.
constexpr Duration kLongestSilence = 60s;

/// Tries until it works or fails for another reason than that nobody answers.
template <class Try>
auto patiently(Try attempt) {
    const auto end = std::chrono::steady_clock::now() + kPatienceWithServers;
    for (;;) {
        auto result = attempt();
        if (result || result.error().fault != Fault::unreachable || std::chrono::steady_clock::now() >= end)
            return result;
        std::this_thread::sleep_for(kBetweenTries);
    }
}

}  // namespace

Ears::Ears(const ServerArguments& server, const std::string& filter)
    : server_(server), target_("/api/v1/events" + filter) {}

Result<void> Ears::listen() {
    if (stream_) return {};
    auto stream = patiently([this] { return listen_to(server_, target_, ""); });
    if (!stream) return tl::unexpected(stream.error());
    stream_.emplace(std::move(*stream));
    return {};
}

Result<std::optional<http::Event>> Ears::next(Duration patience) {
    if (auto listening = listen(); !listening) return tl::unexpected(listening.error());
    auto event = stream_->next(patience);
    if (event) return event;
    stream_.reset();
    if (auto listening = listen(); !listening) return tl::unexpected(listening.error());
    return std::nullopt;
}

Result<Json> ask_patiently(const ServerArguments& server, const std::string& target) {
    return patiently([&] { return ask_server(server, "GET", target); });
}

bool has_ended(const Json& task) {
    const std::string state = task["state"];
    return state != "queued" && state != "delayed" && state != "blocked" && state != "running";
}

Result<Json> wait_for_end(const ServerArguments& server, std::uint64_t task) {
    Ears ears(server, fmt::format("?task={}", task));
    if (auto listening = ears.listen(); !listening) return tl::unexpected(listening.error());
    for (;;) {
        auto now = ask_patiently(server, fmt::format("/api/v1/tasks/{}", task));
        if (!now || has_ended(*now)) return now;
        for (bool look = false; !look;) {
            const auto event = ears.next(kLongestSilence);
            if (!event) return tl::unexpected(event.error());
            const Json said = *event ? Json::parse((*event)->data, nullptr, false) : Json();
            look = !said.is_object() || said.value("what", "") == "ended";
        }
    }
}

}  // namespace sy::cli
