// Benches: the parts of `make bench`. Each draws what it needs and gives its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "report.h"

namespace sy::bench {

struct Pace {
    bool quick = false;  ///< A tenth of every budget, and fewer draws: for a look, not for the record.

    double seconds(double full) const { return quick ? full / 10 : full; }
    std::uint64_t draws(std::uint64_t full) const { return quick ? (full + 9) / 10 : full; }
};

std::vector<Row> bench_step(const Pace& pace);
std::vector<Row> bench_decide(const Pace& pace);
std::vector<Row> bench_line(const Pace& pace);
std::vector<Row> bench_predict(const Pace& pace);
std::vector<Row> bench_balance(const Pace& pace);
std::vector<Row> bench_layers(const Pace& pace);
std::vector<Row> bench_routes(const Pace& pace);
std::vector<Row> bench_members(const Pace& pace);
std::vector<Row> bench_throughput(const Pace& pace);
std::vector<Row> bench_simulate(const Pace& pace);
std::vector<Row> bench_traffic(const Pace& pace);
std::vector<Row> bench_drawn(const Pace& pace);
std::vector<Row> bench_small(const Pace& pace);
std::vector<Row> bench_task_graphs(const Pace& pace);
std::vector<Row> bench_unrelated(const Pace& pace);
std::vector<Row> bench_workflows(const Pace& pace);
std::vector<Row> bench_images(const Pace& pace);
std::vector<Row> bench_million(const Pace& pace);
std::vector<Row> bench_execute(const Pace& pace);
std::vector<Row> bench_scale(const Pace& pace);
std::vector<Row> bench_metrics(const Pace& pace);

}  // namespace sy::bench
