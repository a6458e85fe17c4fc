// SlowRelay: stands between a host and a service on TCP, holds every byte back for a while, and breaks lines now and
// then. What the kernel's netem would do, for kernels that have none.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sy::service_test {

class SlowRelay {
public:
    using Clock = std::chrono::steady_clock;
    struct Habits {
        std::chrono::milliseconds delay{20};
        double breaks = 0;  ///< The chance of each piece to take its line with it.
        unsigned seed = 1;
    };

    SlowRelay(std::uint16_t to, Habits habits) : to_(to), habits_(habits), chance_(habits.seed) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in name = loopback(0);
        socklen_t size = sizeof name;
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&name), size);
        ::listen(listener_, 16);
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size);
        port_ = ntohs(name.sin_port);
        thread_ = std::thread([this] { work(); });
    }
    ~SlowRelay() {
        ending_ = true;
        thread_.join();
        ::close(listener_);
    }
    SlowRelay(const SlowRelay&) = delete;
    SlowRelay& operator=(const SlowRelay&) = delete;

    std::uint16_t port() const { return port_; }
    int broken() const { return broken_; }
    /// Every line there is now breaks on the host's side; the service never hears that it did, as where a router has
    /// forgotten it.
    void strand_the_service() { to_strand_ = true; }

private:
    struct Piece {
        Clock::time_point due;
        std::string bytes;
    };
    struct Way {
        int from = -1;
        int to = -1;
        std::deque<Piece> held;
    };
    struct Line {
        std::array<Way, 2> ways;
        bool over = false;
    };

    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_port = htons(port);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return name;
    }

    void work() {
        while (!ending_) {
            if (to_strand_.exchange(false)) strand();
            std::vector<pollfd> waits{{listener_, POLLIN, 0}};
            for (const auto& line : lines_)
                for (const Way& way : line->ways) waits.push_back({way.from, POLLIN, 0});
            ::poll(waits.data(), waits.size(), 2);
            std::size_t at = 1;
            for (const auto& line : lines_)
                for (Way& way : line->ways)
                    if (waits[at++].revents != 0) take(*line, way);
            if (waits[0].revents != 0) accept_one();
            for (const auto& line : lines_)
                for (Way& way : line->ways) pass_on(*line, way);
            std::erase_if(lines_, [](const auto& line) {
                if (!line->over) return false;
                for (const Way& way : line->ways) ::close(way.from);
                return true;
            });
        }
        for (const auto& line : lines_)
            for (const Way& way : line->ways) ::close(way.from);
        for (const int fd : stranded_) ::close(fd);
    }

    void strand() {
        for (const auto& line : lines_) {
            ::close(line->ways[0].from);
            stranded_.push_back(line->ways[1].from);
        }
        lines_.clear();
    }

    void accept_one() {
        const int client = ::accept(listener_, nullptr, nullptr);
        const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in name = loopback(to_);
        auto line = std::make_unique<Line>();
        line->over = ::connect(server, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0;
        line->ways = {Way{client, server, {}}, Way{server, client, {}}};
        lines_.push_back(std::move(line));
    }

    void take(Line& line, Way& way) {
        std::string bytes(65536, '\0');
        const ssize_t n = ::recv(way.from, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (n <= 0) {
            line.over = true;
            return;
        }
        bytes.resize(static_cast<std::size_t>(n));
        way.held.push_back({Clock::now() + habits_.delay, std::move(bytes)});
        if (std::uniform_real_distribution<>(0, 1)(chance_) >= habits_.breaks) return;
        line.over = true;
        ++broken_;
    }

    static void pass_on(Line& line, Way& way) {
        for (; !line.over && !way.held.empty() && way.held.front().due <= Clock::now(); way.held.pop_front()) {
            const std::string& bytes = way.held.front().bytes;
            line.over = ::send(way.to, bytes.data(), bytes.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(bytes.size());
        }
    }

    std::uint16_t to_;
    Habits habits_;
    std::mt19937 chance_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::vector<std::unique_ptr<Line>> lines_;
    std::vector<int> stranded_;  ///< To the service; nobody speaks there any more.
    std::atomic<bool> to_strand_ = false;
    std::atomic<bool> ending_ = false;
    std::atomic<int> broken_ = 0;
    std::thread thread_;
};

}  // namespace sy::service_test
