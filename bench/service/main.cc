// bench_service: the live service measured from outside, as clients and operators meet it: a real server with its
// workers, simulated GPUs and a runner that does nothing. Takes some minutes; a quiet machine gives better figures.
#include <array>

#include "service/round.h"
#include "suite.h"

namespace sy::bench {

namespace {

constexpr std::array<Bench<Round>, 9> kBenches{{{"ceilings", bench_ceilings},
                                                {"calls", bench_calls},
                                                {"commands", bench_commands},
                                                {"submit", bench_submit},
                                                {"idle", bench_idle},
                                                {"million-queued", bench_million_queued},
                                                {"beats", bench_beats},
                                                {"dead-worker", bench_dead_worker},
                                                {"chaos", bench_chaos}}};

}  // namespace

}  // namespace sy::bench

int main(int count, char** words) {
    using namespace sy::bench;
    const std::span<const Bench<Round>> benches(kBenches);
    const auto wishes = Wishes::read({words + 1, words + count});
    if (!wishes || !any_wanted(benches, *wishes)) return explain_usage("bench_service", benches);
    Round round(wishes->pace);
    return run_suite(benches, *wishes, round);
}
