// A thousand workers that only say that they live, over real sockets: what that costs the server.
//
// Each worker is the real brain of one on a line of its own to a real server; there are no tasks. The
// server is told to leave the GPUs alone, so that it starts no workers itself, but for the one it must have. Measured
// is the processor time of the server's process, as the kernel counts it, once all of them have joined.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/check.h"
#include "core/agent/agent.h"
#include "service/loop/loop.h"
#include "service/loop/sockets.h"
#include "service/processor_time.h"
#include "service/round.h"
#include "service/wire/frames.h"
#include "service/wire/messages.h"

namespace sy::bench {

namespace {

constexpr unsigned kWorkers = 1'000;
constexpr int kSecondsToJoin = 60;
constexpr const char* kWhat = "1,000 workers beating every 10 s over sockets: the server";

/// One worker's brain on its line.
class Voice {
public:
    Voice(const std::string& path, GpuId gpu)
        : agent_(gpu, gpu.value() + 1, Timing{}), fd_(loop::connect_unix(path, true)) {
        SY_CHECK(fd_ >= 0, "no line to {}", path);
        say(wire::Line{gpu});
        step(Tick{});
    }
    Voice(const Voice&) = delete;
    Voice& operator=(const Voice&) = delete;
    ~Voice() { ::close(fd_); }

    int fd() const { return fd_; }
    Instant wake() const { return wake_; }
    bool has_joined() const { return agent_.has_session(); }
    std::uint64_t beats() const { return beats_; }

    void hear() {
        const bool alive = loop::read_all(fd_, [&](std::string_view bytes) { frames_.add(bytes); });
        SY_CHECK(alive, "the server hung up");
        while (const auto message = frames_.next<wire::ToWorker>())
            std::visit(
                [this](const auto& said) {
                    if constexpr (std::is_constructible_v<agent::Event, decltype(said)>) step(said);
                },
                *message);
    }
    void step(const agent::Event& event) {
        for (const agent::Effect& effect : agent_.step(event, loop::Loop::now())) {
            if (const auto* hello = std::get_if<Hello>(&effect)) say(*hello);
            if (const auto* beat = std::get_if<Heartbeat>(&effect)) {
                say(*beat);
                ++beats_;
            }
            if (const auto* wake = std::get_if<agent::WakeAt>(&effect)) wake_ = wake->at;
        }
    }

private:
    void say(const wire::ToServer& message) {
        unsent_ += wire::frame_of(message);
        SY_CHECK(loop::write_some(fd_, unsent_) && unsent_.empty(), "a beat found no room");
    }

    agent::Agent agent_;
    int fd_;
    wire::Frames frames_;
    std::string unsent_;
    Instant wake_ = kNever;
    std::uint64_t beats_ = 0;
};

class Choir {
public:
    explicit Choir(const std::string& path) : path_(path) {}

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
        voices_.push_back(std::make_unique<Voice>(path_, GpuId(static_cast<std::uint32_t>(voices_.size() + 1))));
        lines_.push_back({voices_.back()->fd(), POLLIN, 0});
    }

    std::string path_;
    Instant begin_ = loop::Loop::now();
    std::vector<std::unique_ptr<Voice>> voices_;
    std::vector<pollfd> lines_;
};

}  // namespace

std::vector<Row> bench_beats(Round& round) {
    const Service& service = round.open_for_strangers(kWorkers);
    Choir choir(service.folder() + "/workers.sock");
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
