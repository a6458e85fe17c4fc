#include "service/load.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "clock.h"
#include "service/line.h"
#include "service/processor_time.h"

namespace sy::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string submission(const LoadWish& wish) {
    const Json task = Json::parse(wish.task, nullptr, false);
    const Json body = wish.each == 1 ? task : Json{{"tasks", std::vector<Json>(wish.each, task)}};
    return request_text("POST", "/api/v1/tasks", body.dump());
}

/// How many tasks have ended well, in all the service's life.
Result<std::uint64_t> succeeded(Line& line) {
    constexpr std::string_view kSample = "switchyard_tasks_ended_total{end=\"succeeded\"} ";
    const Answer page = line.ask(request_text("GET", "/metrics"));
    const std::size_t at = page.body.find(kSample);
    if (at == std::string::npos) return fail(Fault::failed, "the server tells no count of tasks that succeeded");
    return std::stoull(page.body.substr(at + kSample.size()));
}

/// Those who hand in: one request under way on each line.
class Crowd {
public:
    Crowd(std::string request, std::uint64_t requests) : request_(std::move(request)), left_(requests) {}
    ~Crowd() {
        if (epoll_ >= 0) ::close(epoll_);
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    Result<void> open(const std::string& server, std::uint64_t lines) {
        for (std::uint64_t i = 0; i < lines; ++i) {
            auto socket = http::dial(server);
            if (!socket) return tl::unexpected(socket.error());
            members_.push_back({std::move(*socket), {}, {}});
            epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
            if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, members_.back().socket.fd(), &event) != 0)
                return fail(Fault::failed, "a line cannot be watched");
        }
        return {};
    }

    Result<void> run() {
        for (Member& member : members_) send_next(member);
        std::array<epoll_event, 64> ready;
        while (under_way_ > 0) {
            const int count = ::epoll_wait(epoll_, ready.data(), ready.size(), -1);
            for (int i = 0; i < count; ++i)
                if (const auto heard = hear(members_[ready[static_cast<std::size_t>(i)].data.u64]); !heard)
                    return heard;
        }
        return {};
    }

    std::vector<double>& latencies_us() { return latencies_us_; }

private:
    struct Member {
        http::Socket socket;
        Answers answers;
        Clock::time_point sent;
    };

    void send_next(Member& member) {
        if (left_ == 0) return;
        --left_;
        ++under_way_;
        member.sent = Clock::now();
        member.socket.send_all(request_);
    }

    Result<void> hear(Member& member) {
        const ssize_t n = ::recv(member.socket.fd(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (n <= 0) return fail(Fault::unreachable, "the server hung up");
        member.answers.add({buffer_.data(), static_cast<std::size_t>(n)});
        const auto answer = member.answers.next();
        if (!answer) return {};
        if (answer->status != 201)
            return fail(Fault::failed, fmt::format("not taken: {} {}", answer->status, answer->body));
        latencies_us_.push_back(seconds_since(member.sent) * 1e6);
        --under_way_;
        send_next(member);
        return {};
    }

    std::string request_;
    std::uint64_t left_;
    std::uint64_t under_way_ = 0;
    int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<Member> members_;
    std::vector<double> latencies_us_;
    std::array<char, 65536> buffer_;
};

/// Looks every millisecond.
Result<void> wait_until_idle(Line& line) {
    const std::string request = request_text("GET", "/api/v1/queue");
    for (;;) {
        const Json queue = Json::parse(line.ask(request).body, nullptr, false);
        if (!queue.is_object()) return fail(Fault::unreachable, "the server hung up");
        if (queue["queued"] == 0 && queue["held"] == 0 && queue["running"] == 0) return {};
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

double percentile(std::vector<double>& values, double part) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size() - 1)))];
}

Result<LoadFigures> load(const LoadWish& wish) {
    const std::uint64_t requests = wish.tasks / wish.each;
    Crowd crowd(submission(wish), requests);
    auto watch = Line::open(wish.server);
    if (!watch) return tl::unexpected(watch.error());
    if (const auto open = crowd.open(wish.server, wish.connections); !open) return tl::unexpected(open.error());
    const auto before = succeeded(*watch);
    if (!before) return tl::unexpected(before.error());

    const double service = wish.service > 0 ? tree_seconds(wish.service) : 0;
    const double own = own_seconds();
    const Clock::time_point start = Clock::now();
    if (const auto ran = crowd.run(); !ran) return tl::unexpected(ran.error());
    const double accepted = seconds_since(start);
    if (wish.wait)
        if (const auto idle = wait_until_idle(*watch); !idle) return tl::unexpected(idle.error());
    const double ended = seconds_since(start);
    const double own_used = own_seconds() - own;
    const double service_used = wish.service > 0 ? tree_seconds(wish.service) - service : 0;

    const std::uint64_t tasks = requests * wish.each;
    if (wish.wait) {
        const auto after = succeeded(*watch);
        if (!after) return tl::unexpected(after.error());
        if (*after - *before != tasks)
            return fail(Fault::failed, fmt::format("{} of {} tasks ended well", *after - *before, tasks));
    }
    const auto count = static_cast<double>(tasks);
    return LoadFigures{.tasks = tasks,
                       .accepted_per_s = count / accepted,
                       .ended_per_s = wish.wait ? count / ended : 0,
                       .submit_p50_us = percentile(crowd.latencies_us(), 0.5),
                       .submit_p99_us = percentile(crowd.latencies_us(), 0.99),
                       .client_us = own_used / count * 1e6,
                       .service_us = service_used / count * 1e6};
}

}  // namespace sy::bench
