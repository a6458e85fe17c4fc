// switchyard top: the service as it works, on one screen.
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"
#include "cli/terminal.h"
#include "cli/top_screen.h"
#include "service/http/event_stream.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kOverview = "/api/v1/overview";
constexpr std::size_t kMostEvents = 100;
constexpr Duration kBetweenKeys = 50ms;
constexpr auto kBetweenPictures = std::chrono::milliseconds(200);
/// Ages grow without any event.
constexpr auto kOldPicture = std::chrono::seconds(1);

struct TopArguments {
    ServerArguments server;
    bool json = false;
};

class Top {
public:
    explicit Top(const TopArguments& a) : a_(a) {}

    Exit run() {
        while (!terminal_.is_to_leave()) {
            hear();
            const auto age = Clock::now() - drawn_;
            if (age >= kOldPicture || (news_ && age >= kBetweenPictures)) draw();
        }
        return Exit::done;
    }

private:
    /// What has happened, for a moment at most.
    void hear() {
        if (!stream_) {
            if (auto stream = listen_to(a_.server, "/api/v1/events", last_id_)) {
                stream_.emplace(std::move(*stream));
            } else {
                std::this_thread::sleep_for(kBetweenKeys);
                return;
            }
        }
        const auto event = stream_->next(kBetweenKeys);
        if (!event) return stream_.reset();
        if (!*event) return;
        last_id_ = (*event)->id;
        news_ = true;
        if (std::string line = event_line(**event); !line.empty()) events_.push_back(std::move(line));
        if (events_.size() > kMostEvents) events_.pop_front();
    }

    void draw() {
        drawn_ = Clock::now();
        news_ = false;
        const auto overview = ask_server(a_.server, "GET", kOverview);
        terminal_.show(
            overview ? draw_top(*overview, events_, terminal_.size())
                     : fmt::format("{}\n{}\ntrying again; q leaves\n", overview.error().message, overview.error().fix));
    }

    const TopArguments& a_;
    Terminal terminal_;
    std::optional<http::EventStream> stream_;
    std::string last_id_;
    std::deque<std::string> events_;
    bool news_ = false;
    Clock::time_point drawn_;
};

Exit run_top(const TopArguments& a) {
    const auto overview = ask_server(a.server, "GET", kOverview);
    if (!overview || a.json) return print_json(overview);
    if (Terminal::is_there()) return Top(a).run();
    constexpr ScreenSize kEverything{100'000, 160};
    fmt::print("{}", draw_top(*overview, {}, kEverything));
    return Exit::done;
}

}  // namespace

Command top_command() {
    const auto a = std::make_shared<TopArguments>();
    return {.name = "top",
            .summary = "Watch the service work: GPUs, queue, what runs; q leaves",
            .examples = "  switchyard top\n  switchyard top --json",
            .options = with_server({{"--json", "", "Print one JSON document", &a->json}}, a->server),
            .run = [a] { return run_top(*a); }};
}

}  // namespace sy::cli
