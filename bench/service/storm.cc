// The storm of the tests, longer: a thousand kills under load, and every promise checked at its end.
#include <algorithm>
#include <chrono>
#include <random>

#include <fmt/format.h>

#include "service/chaos.h"
#include "service/round.h"

namespace sy::bench {

std::vector<Row> bench_chaos(Round& round) {
    const auto kills = static_cast<int>(round.pace.draws(1000));
    const std::uint64_t seed = std::random_device{}();
    const auto start = std::chrono::steady_clock::now();
    const auto report = service_test::run_chaos(round.open(kGpus, false), {.kills = kills, .seed = seed});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!report.complaints.empty()) fmt::print(stderr, "seed {}:\n{}", seed, report.complaints);
    const auto broken = std::count(report.complaints.begin(), report.complaints.end(), '\n');
    return {{fmt::format("SIGKILL to {} servers, {} workers, {} tasks under load: promises broken", report.servers,
                         report.workers, report.tasks),
             static_cast<double>(broken), "", 0, Aim::at_most},
            {"the same: tasks answered, all of them ended", static_cast<double>(report.answered), "tasks", std::nullopt,
             Aim::at_least},
            {"the same: it took", seconds, "s", std::nullopt, Aim::at_most}};
}

}  // namespace sy::bench
