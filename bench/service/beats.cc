// A thousand workers that only say that they live, over real sockets: what that costs the server.
//
// Each worker is the real brain of one, on a host of its own with a line of its own to a real server that has no GPUs
// itself; there are no tasks. Measured is the processor time of the server's process, as the kernel counts it, once all
// of them have joined.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/check.h"
#include "core/agent/agent.h"
#include "service/loop/loop.h"
#include "service/loop/sockets.h"
#include "service/outpost/dialling.h"
#include "service/processor_time.h"
#include "service/round.h"
#include "service/wire/frames.h"
#include "service/wire/host_messages.h"

namespace sy::bench {

namespace {

constexpr unsigned kWorkers = 1'000;
constexpr int kSecondsToJoin = 60;
constexpr const char* kWhat = "1,000 workers beating every 10 s over sockets: the server";

/// One worker's brain on a host of its own, with a line of its own.
class Voice {
public:
    Voice(const std::string& server, std::size_t number) : number_(number) {
        auto line = outpost::dial({.addresses = {server},
                                   .target = fmt::format("/api/v1/hosts/voice-{}/line", number),
                                   .body = kIntroduction});
        SY_CHECK(line.has_value(), "no line to {}: {}", server, line.error().message);
        fd_ = std::move(line->socket).release().first;
        ::fcntl(fd_, F_SETFL, ::fcntl(fd_, F_GETFL) | O_NONBLOCK);
        take(line->heard);
    }
    Voice(const Voice&) = delete;
    Voice& operator=(const Voice&) = delete;
    ~Voice() { ::close(fd_); }

    int fd() const { return fd_; }
    Instant wake() const { return wake_; }
    bool has_joined() const { return agent_ && agent_->has_session(); }
    std::uint64_t beats() const { return beats_; }

    void hear() {
        const bool alive = loop::read_all(fd_, [&](std::string_view bytes) { take(bytes); });
        SY_CHECK(alive, "the server hung up");
    }
    void step(const agent::Event& event) {
        if (!agent_) return;
        for (const agent::Effect& effect : agent_->step(event, loop::Loop::now())) {
            if (const auto* hello = std::get_if<Hello>(&effect)) say(*hello);
            if (const auto* beat = std::get_if<Heartbeat>(&effect)) {
                say(*beat);
                ++beats_;
            }
            if (const auto* wake = std::get_if<agent::WakeAt>(&effect)) wake_ = wake->at;
        }
    }

private:
    static constexpr const char* kIntroduction =
        R"({"format": 2, "version": "bench", "identity": "bench", "gpus": [{"memory_bytes": 80000000000, "kind": "none", "simulated": true}]})";

    void take(std::string_view bytes) {
        frames_.add(bytes);
        while (const auto message = frames_.next<wire::ToHost>()) {
            if (const auto* terms = std::get_if<wire::HostTerms>(&*message)) {
                agent_.emplace(terms->gpus.first, number_ + 1, Timing{});
                step(Tick{});
            }
            const auto* word = std::get_if<wire::ForWorker>(&*message);
            if (word == nullptr) continue;
            std::visit(
                [this](const auto& said) {
                    if constexpr (std::is_constructible_v<agent::Event, decltype(said)>) step(said);
                },
                word->message);
        }
    }
    void say(const wire::ToServer& message) {
        unsent_ += wire::frame_of(wire::FromHost(wire::FromWorker{message}));
        SY_CHECK(loop::write_some(fd_, unsent_) && unsent_.empty(), "a beat found no room");
    }

    std::size_t number_;
    std::optional<agent::Agent> agent_;  ///< Once the server has said which GPU it has.
    int fd_ = -1;
    wire::Frames frames_;
    std::string unsent_;
    Instant wake_ = kNever;
    std::uint64_t beats_ = 0;
};

class Choir {
public:
    explicit Choir(std::string server) : server_(std::move(server)) {}

    /// They come one after another, as the hosts of a cluster do, and so their beats are spread.
    void run_for(std::chrono::nanoseconds time) {
        const Instant begin = loop::Loop::now();
        for (Instant now = begin; now - begin < time; now = loop::Loop::now()) {
            const auto due = static_cast<std::size_t>(kWorkers * to_seconds(now - begin_) / to_seconds(10s));
            while (voices_.size() < kWorkers && voices_.size() < due + 1) come();
            ::poll(lines_.data(), lines_.size(), 10);
            for (std::size_t i = 0; i < voices_.size(); ++i) {
                if (lines_[i].revents != 0) voices_[i]->hear();
                if (voices_[i]->wake() <= now) voices_[i]->step(Tick{});
            }
        }
    }
    std::size_t joined() const {
        std::size_t count = 0;
        for (const auto& voice : voices_) count += voice->has_joined() ? 1U : 0U;
        return count;
    }
    bool have_all_joined() const { return joined() == kWorkers; }
    std::uint64_t beats() const {
        std::uint64_t sum = 0;
        for (const auto& voice : voices_) sum += voice->beats();
        return sum;
    }

private:
    void come() {
        voices_.push_back(std::make_unique<Voice>(server_, voices_.size()));
        lines_.push_back({voices_.back()->fd(), POLLIN, 0});
    }

    std::string server_;
    Instant begin_ = loop::Loop::now();
    std::vector<std::unique_ptr<Voice>> voices_;
    std::vector<pollfd> lines_;
};

}  // namespace

std::vector<Row> bench_beats(Round& round) {
    const Service& service = round.open_for_hosts();
    Choir choir(service.address());
    for (int i = 0; i < kSecondsToJoin && !choir.have_all_joined(); ++i) choir.run_for(1s);
    if (!choir.have_all_joined())
        return {
            no_figure(kWhat, fmt::format("{} of {} workers have joined", choir.joined(), kWorkers), 20, Aim::at_most)};
    const double seconds = round.pace.seconds(60);
    const std::uint64_t beats = choir.beats();
    const double before = tree_seconds(service.server());
    choir.run_for(std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)));
    const double used = tree_seconds(service.server()) - before;
    if (!choir.have_all_joined()) return {no_figure(kWhat, "a worker was given up", 20, Aim::at_most)};
    const auto heard = static_cast<double>(choir.beats() - beats);
    return {{kWhat, used / seconds * 100, "% core", 20, Aim::at_most},
            {"the same: heartbeats", heard / seconds, "a second", std::nullopt},
            {"the same: the server, a heartbeat", used / heard * 1e6, "us", std::nullopt}};
}

}  // namespace sy::bench
