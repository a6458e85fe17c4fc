// bench_switchyard: what the project promises about speed, size and plans, measured in this process: a table on stdout,
// JSON where asked for. The live service has a program of its own, bench_service.
#include <array>

#include "suite.h"

namespace sy::bench {

namespace {

constexpr std::array<Bench<const Pace>, 21> kBenches{{{"step", bench_step},
                                                      {"decide", bench_decide},
                                                      {"line", bench_line},
                                                      {"predict", bench_predict},
                                                      {"balance", bench_balance},
                                                      {"layers", bench_layers},
                                                      {"routes", bench_routes},
                                                      {"members", bench_members},
                                                      {"throughput", bench_throughput},
                                                      {"simulate", bench_simulate},
                                                      {"traffic", bench_traffic},
                                                      {"plan-drawn", bench_drawn},
                                                      {"plan-small", bench_small},
                                                      {"plan-graphs", bench_task_graphs},
                                                      {"plan-unrelated", bench_unrelated},
                                                      {"plan-workflows", bench_workflows},
                                                      {"plan-images", bench_images},
                                                      {"plan-million", bench_million},
                                                      {"execute", bench_execute},
                                                      {"scale", bench_scale},
                                                      {"metrics", bench_metrics}}};

}  // namespace

}  // namespace sy::bench

int main(int count, char** words) {
    using namespace sy::bench;
    const std::span<const Bench<const Pace>> benches(kBenches);
    const auto wishes = Wishes::read({words + 1, words + count});
    if (!wishes || !any_wanted(benches, *wishes)) return explain_usage("bench_switchyard", benches);
    return run_suite(benches, *wishes, wishes->pace);
}
