// Course: how many GPUs were busy and how many jobs waited, over time, in a bounded number of steps.
//
// Each step holds the mean over its time. When the steps run out, two become one and steps last twice as long: so
// neither the end nor the number of events need be known beforehand.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace sy::measure {

class Course {
public:
    /// `most` steps, an even number.
    explicit Course(std::size_t most = 1024) : most_(most) {}

    /// From `at` on it is so; instants never go back.
    void set(Instant at, double busy, double waiting);
    /// Nothing changes after the last `set`; up to here it holds.
    void close(Instant at) { advance(at); }

    Instant begin() const { return begin_; }
    Duration step() const { return step_; }
    const std::vector<double>& busy() const { return busy_; }
    const std::vector<double>& waiting() const { return waiting_; }

private:
    void advance(Instant to);
    void halve();

    std::size_t most_;
    bool begun_ = false;
    Instant begin_;
    Instant now_;
    Duration step_ = 1s;
    double busy_now_ = 0;
    double waiting_now_ = 0;
    std::vector<double> busy_;
    std::vector<double> waiting_;
};

}  // namespace sy::measure
