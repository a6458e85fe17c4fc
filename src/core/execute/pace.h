// Pace: how real times compare with those of the batch, by model, learned while it runs.
//
// The ratio of sums, begun as if some of the batch's own times had come true already: one slow job tells little.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"
#include "core/model/batch.h"

namespace sy::execute {

class Pace {
public:
    explicit Pace(std::size_t models) : pace_(models, 1.0), models_(models) {}

    void learn(ModelId model, Duration expected, Duration real) {
        Seen& seen = models_[model.value()];
        ++seen.jobs;
        seen.expected += to_seconds(expected);
        seen.real += to_seconds(real);
        if (seen.expected <= 0) return;
        const double trust = kJobsToBelieve * seen.expected / seen.jobs;
        pace_[model.value()] = (seen.real + trust) / (seen.expected + trust);
    }
    const std::vector<double>& by_model() const { return pace_; }
    double of(ModelId model) const { return pace_[model.value()]; }

private:
    static constexpr double kJobsToBelieve = 10;
    struct Seen {
        double jobs = 0;
        double expected = 0;
        double real = 0;
    };

    std::vector<double> pace_;
    std::vector<Seen> models_;
};

}  // namespace sy::execute
