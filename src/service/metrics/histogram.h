// Histogram: how often a measured amount fell below each of some fixed bounds. A thousand million observations cost as
// much room as one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sy::metrics {

class Histogram {
public:
    /// Upper bounds, growing; they must outlive this.
    explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

    void observe(double amount) {
        const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), amount);
        ++counts_[static_cast<std::size_t>(bound - bounds_.begin())];
        ++count_;
        sum_ += amount;
    }

    std::span<const double> bounds() const { return bounds_; }
    /// Those above the bound before and not above the one at this place; the last is for all larger ones.
    const std::vector<std::uint64_t>& counts() const { return counts_; }
    std::uint64_t count() const { return count_; }
    double sum() const { return sum_; }

private:
    std::span<const double> bounds_;
    std::vector<std::uint64_t> counts_;
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

/// Seconds in line: from a free GPU to a day.
inline constexpr std::array kWaitBounds{0.001, 0.01, 0.1,   0.5,    1.0,    5.0,     15.0,
                                        60.0,  300., 900.0, 3600.0, 14400., 43200.0, 86400.0};
/// Seconds to the disk: from a fast one to one in trouble.
inline constexpr std::array kCommitBounds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                          0.025,  0.05,    0.1,    0.25,  0.5,    1.0,   5.0};

}  // namespace sy::metrics
