// Busy time is there to keep GPUs even, and pays for it with switches that completion alone would not make. So it
// weighs more the further apart the GPUs are, and next to nothing where they are even: 0.7 × (most − least busy) /
// mean, within 0.02 and 0.3. These figures came out best among some forty on random batches and the examples;
// planning.md has what they gain and lose.
//
// The state is looked at once for as many jobs as there are GPUs. A look costs G steps and a new weight means entering
// every place anew, so both come to a few steps a job.
#include "core/plan/balance.h"

#include <algorithm>
#include <numeric>

namespace sy::plan {

namespace {

constexpr std::uint32_t kDocuments = 10;
constexpr std::int64_t kLeast = 2;
constexpr std::int64_t kMost = 30;
constexpr std::int64_t kPerSpread = 70;

std::uint32_t by_spread(const Fleet& fleet) {
    Duration least = Duration::max();
    Duration most{};
    Duration mean{};
    for (std::uint32_t gpu = 0; gpu < fleet.size(); ++gpu) {
        const Duration busy = fleet.busy(GpuId(gpu));
        least = std::min(least, busy);
        most = std::max(most, busy);
        mean += busy / static_cast<std::int64_t>(fleet.size());
    }
    if (most - least >= mean) return kMost;
    return static_cast<std::uint32_t>(std::clamp(kPerSpread * (most - least) / mean, kLeast, kMost));
}

}  // namespace

Balance::Balance(const Fleet& fleet, std::optional<std::uint32_t> hundredths)
    : fleet_(fleet),
      adapts_(!hundredths),
      hundredths_(hundredths.value_or(kDocuments)),
      until_next_look_(fleet.size()) {}

ScoreWeights Balance::weights() const {
    const std::uint32_t common = std::gcd(100U, hundredths_);
    return {.end = 100 / common, .busy = hundredths_ / common};
}

void Balance::job_taken() {
    if (!adapts_ || --until_next_look_ > 0) return;
    until_next_look_ = fleet_.size();
    hundredths_ = by_spread(fleet_);
}

}  // namespace sy::plan
