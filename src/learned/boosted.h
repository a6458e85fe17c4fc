// Boosted: a predictor of run times that trains trees on what has ended (P17b, S9).
//
// It keeps a rolling predictor and learns by what factor that is wrong, from what each habit remembers, the owner's
// estimate, the number of GPUs, the level and the time of day. Until the first training, and after one that
// failed, it predicts what the rolling one does. The same history gives the same predictions on the same machine.
//
// Memory: a window of rows, so many floats each, and the trees. Cost: see docs/prediction.md; training happens inside
// learn(), so every so often that call takes a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/estimate/rolling.h"
#include "core/estimate/run_time.h"
#include "learned/xgboost.h"

namespace sy::learned {

struct BoostOptions {
    std::uint32_t window = 20'000;  ///< How many of the jobs that ended last are trained on.
    std::uint32_t first = 200;    ///< So many have ended before the first training, and twice as many before the next,
    std::uint32_t every = 2'000;  ///< until this many lie between two.
    TreeOptions trees;
};

/// The most of each; the least is 1, and of the rate anything above 0.
inline constexpr std::uint32_t kMostWindow = 1'000'000;
inline constexpr std::uint32_t kMostRounds = 1'000;
inline constexpr std::uint32_t kMostDepth = 16;

class Boosted final : public estimate::RunTime {
public:
    /// Refuses options out of their limits.
    static Result<std::unique_ptr<Boosted>> make(const BoostOptions& options = {});

    Duration predict(const estimate::JobFeatures& job) const override;
    void learn(const estimate::JobFeatures& job, Duration actual) override;

    std::uint64_t trainings() const { return trainings_; }
    std::size_t rows() const { return targets_.size(); }
    /// Why the latest training came to nothing; nothing where it did not.
    const std::optional<Error>& trouble() const { return trouble_; }

private:
    explicit Boosted(const BoostOptions& options) : options_(options), due_(options.first) {}

    void train();

    BoostOptions options_;
    estimate::Rolling rolling_;
    std::optional<Trees> trees_;
    // The window: a ring, row by row, and the logarithm of the factor by which each was off.
    std::vector<float> rows_;
    std::vector<float> targets_;
    std::uint64_t ended_ = 0;
    std::uint64_t due_;  ///< Train when so many have ended.
    std::uint64_t trainings_ = 0;
    std::optional<Error> trouble_;
};

}  // namespace sy::learned
