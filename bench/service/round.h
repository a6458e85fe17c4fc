// Round: one run of the benches of the live service, on real servers with simulated GPUs.
//
// What the servers wrote stays until the round is over: a file system that has just lost many files is slow to make new
// ones, and the next bench would pay for the last one's cleaning up.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "benches.h"
#include "service/service.h"
#include "service/test_folder.h"

namespace sy::bench {

using service_test::Json;
using service_test::Service;

inline constexpr unsigned kGpus = 8;
inline constexpr const char* kCall = R"({"model": "echo", "input": 1})";

class Round {
public:
    explicit Round(Pace how) : pace(how) {}

    /// A service of its own. With `models` it knows the model "echo", whose runner answers what it is asked.
    Service& open(unsigned gpus = kGpus, bool models = true);
    /// One without GPUs of its own.
    Service& open_for_hosts();
    /// Measured anew each time: on a shared machine the ceiling of a minute ago is another machine's.
    double fdatasync_us() const;
    double forks_per_s();

    const Pace pace;

private:
    std::vector<std::string> model_settings();

    service_test::TestFolder folder_;
    std::vector<std::unique_ptr<Service>> services_;
    int forks_ = 0;  ///< Times it was measured: each has log files of its own.
};

std::vector<Row> bench_ceilings(Round& round);
std::vector<Row> bench_calls(Round& round);
std::vector<Row> bench_commands(Round& round);
std::vector<Row> bench_submit(Round& round);
std::vector<Row> bench_idle(Round& round);
std::vector<Row> bench_million_queued(Round& round);
std::vector<Row> bench_beats(Round& round);
std::vector<Row> bench_dead_worker(Round& round);
std::vector<Row> bench_chaos(Round& round);

/// A row that says why there is no figure.
Row no_figure(const std::string& what, const std::string& why, double target, Aim aim);

}  // namespace sy::bench
