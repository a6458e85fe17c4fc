// The waiting line at a million places: each operation at random places, timed one by one.
#include <algorithm>
#include <chrono>
#include <vector>

#include "base/random.h"
#include "benches.h"
#include "core/queue/waiting_line.h"

namespace sy::bench {

namespace {

constexpr std::uint64_t kPlaces = 1'000'000;
constexpr int kSamples = 20'000;

double percentile(std::vector<double>& sorted_in_place, double part) {
    std::sort(sorted_in_place.begin(), sorted_in_place.end());
    return sorted_in_place[static_cast<std::size_t>(part * static_cast<double>(sorted_in_place.size() - 1))];
}

/// The 99th percentile of one call, in microseconds.
template <class Operation>
double p99_us(Operation operation) {
    std::vector<double> times;
    times.reserve(kSamples);
    for (int i = 0; i < kSamples; ++i) {
        const auto start = std::chrono::steady_clock::now();
        operation();
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    return percentile(times, 0.99);
}

}  // namespace

std::vector<Row> bench_line(const Pace& /*pace*/) {
    Random random(1);
    queue::WaitingLine line;
    for (std::uint64_t i = 1; i <= kPlaces; ++i) line.insert({static_cast<queue::Rank>(random.below(4)), TaskId(i)});
    std::uint64_t next = kPlaces;
    std::uint64_t sum = 0;
    const auto any_place = [&] {
        return queue::Place{static_cast<queue::Rank>(random.below(4)), TaskId(1 + random.below(kPlaces))};
    };
    std::vector<Row> rows;
    const auto row = [&](const char* what, double us) { rows.push_back({what, us, "us", 2, Aim::at_most}); };
    row("waiting line of 1,000,000: enqueue, p99", p99_us([&] {
            line.insert({static_cast<queue::Rank>(random.below(4)), TaskId(++next)});
        }));
    row("waiting line of 1,000,000: dequeue, p99", p99_us([&] { line.pop_front(); }));
    row("waiting line of 1,000,000: remove anywhere, p99", p99_us([&] { sum += line.erase(any_place()) ? 1U : 0U; }));
    row("waiting line of 1,000,000: exact position, p99", p99_us([&] { sum += line.position(any_place()); }));
    if (sum == 0) rows.push_back({"waiting line: nothing was found", 0, "", 1, Aim::at_least});
    return rows;
}

}  // namespace sy::bench
