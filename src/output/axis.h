// Axis: where the marks of a plot's axis stand, and what is written there.
#pragma once

#include <string>
#include <vector>

namespace sy::output {

struct Mark {
    double at = 0;  ///< From 0, where the axis begins, to 1.
    std::string label;
};

/// A few round times from 0 to `seconds`, all in one unit.
std::vector<Mark> time_marks(double seconds);

/// `value` or a little more: a round number to end an axis at.
double round_end(double value);

/// An axis on which each ten times as long is as far; it ends at the times given, and is never shorter than a decade.
class LogTimeAxis {
public:
    /// Times below a millisecond count as one.
    LogTimeAxis(double least_s, double largest_s);

    double at(double seconds) const;
    std::vector<Mark> marks() const;
    double least_s() const { return least_; }
    double largest_s() const { return largest_; }

private:
    double least_;
    double largest_;
};

}  // namespace sy::output
