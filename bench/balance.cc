// Balancing: picks a second for each policy, with the finish of an older request after each pick, on fleets where every
// replica has four requests in flight; and what the first pick after a change of health costs.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/random.h"
#include "benches.h"
#include "core/balance/balancer.h"
#include "core/balance/mix.h"
#include "core/balance/registry.h"

namespace sy::bench {

namespace {

constexpr std::size_t kRequests = 4'096;
constexpr std::size_t kBlocks = 16;
constexpr std::uint32_t kInFlight = 4;

struct Drawn {
    std::uint64_t key = 0;
    std::array<std::uint64_t, kBlocks> prefix{};
};

/// Prompts of 14 blocks out of 500, a few of them asked for most, and two blocks of their own.
std::vector<Drawn> draw_requests() {
    Random random(1);
    std::vector<Drawn> all(kRequests);
    for (Drawn& drawn : all) {
        drawn.key = random.next();
        const auto prompt = static_cast<std::uint64_t>(std::pow(500.0, random.uniform()));
        for (std::uint64_t i = 0; i < kBlocks; ++i)
            drawn.prefix[i] = balance::mix(i < kBlocks - 2 ? prompt : drawn.key, i);
    }
    return all;
}

class Traffic {
public:
    Traffic(std::string_view policy, std::uint32_t replicas)
        : balancer_(balance::make_policy(policy)), requests_(draw_requests()), running_(kInFlight * replicas) {
        for (std::uint32_t id = 0; id < replicas; ++id)
            if (!balancer_.join(balance::ReplicaId(id), 1 + id % 3)) ++refused_;
        for (balance::Ticket& ticket : running_) ticket = pick();
    }

    double picks_per_second(std::uint64_t picks) {
        const Stopwatch watch;
        for (std::uint64_t i = 0; i < picks; ++i) step();
        return static_cast<double>(picks) / watch.seconds();
    }

    double us_for_a_flap_and_a_pick(int flaps) {
        const Stopwatch watch;
        for (int i = 0; i < flaps; ++i) {
            if (!balancer_.set_share(balance::ReplicaId(7), i % 2 == 0 ? 0 : balance::kFullShare)) ++refused_;
            step();
        }
        return watch.seconds() * 1e6 / flaps;
    }

    /// The bench is of no use where anything was.
    std::uint64_t refused() const { return refused_; }

private:
    void step() {
        if (!balancer_.finish(running_[oldest_])) ++refused_;
        running_[oldest_] = pick();
        oldest_ = oldest_ + 1 == running_.size() ? 0 : oldest_ + 1;
    }
    balance::Ticket pick() {
        const Drawn& drawn = requests_[next_++ % kRequests];
        const auto ticket = balancer_.pick({drawn.key, drawn.prefix, kBlocks});
        if (!ticket) ++refused_;
        return ticket.value_or(balance::Ticket{});
    }

    balance::Balancer balancer_;
    std::vector<Drawn> requests_;
    std::vector<balance::Ticket> running_;
    std::size_t oldest_ = 0;
    std::size_t next_ = 0;
    std::uint64_t refused_ = 0;
};

}  // namespace

std::vector<Row> bench_balance(const Pace& pace) {
    std::vector<Row> rows;
    for (const std::uint32_t replicas : {100U, 1'000U}) {
        for (const std::string_view policy : balance::policy_names()) {
            Traffic traffic(policy, replicas);
            const double picks = traffic.picks_per_second(pace.draws(3'000'000));
            rows.push_back({fmt::format("balance over {} replicas: {}", replicas, policy), picks, "picks/s", 1e6});
            const double flap = traffic.us_for_a_flap_and_a_pick(static_cast<int>(pace.draws(500)));
            rows.push_back({fmt::format("balance over {} replicas: {}, a flap and its pick", replicas, policy), flap,
                            "us", std::nullopt, Aim::at_most});
            if (traffic.refused() > 0) rows.push_back({"balance: something was refused", 0, "", 1, Aim::at_least});
        }
    }
    return rows;
}

}  // namespace sy::bench
