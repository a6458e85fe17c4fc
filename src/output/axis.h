// Axis: where the marks of a plot's axis stand, and what is written there.
#pragma once

#include <string>
#include <vector>

namespace sy::output {

struct Mark {
    double at = 0;  ///< From 0, where the axis begins, to 1.
    std::string label;
};

/// An axis on which each ten times as long is as far; it ends at the times given, and is never shorter than a decade.
class LogTimeAxis {
public:
    /// Times below a millisecond count as one.
    LogTimeAxis(double least_s, double largest_s);

    double at(double seconds) const;
    std::vector<Mark> marks() const;

private:
    double least_;
    double largest_;
};

}  // namespace sy::output
