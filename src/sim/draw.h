// Draw: random quantities beyond those of base/random.h, for generated traces.
//
// The same seed must give the same trace on every machine, and std::log, std::exp and std::sin may differ between C
// libraries in the last bit. So they are made here from plus, minus, times, divide and square root, which IEEE 754
// defines to the bit; the build keeps the compiler from fusing them (-ffp-contract=off).
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.h"

namespace sy::sim {

/// Natural logarithm of a positive number, exponential, and sine of turns (1 is once around): 14 digits or better.
double natural_log(double x);
double natural_exp(double x);
double sine_of_turns(double turns);

/// Mean 1.
double draw_exponential(Random& random);
/// Mean 0, deviation 1 (Marsaglia's polar method).
double draw_normal(Random& random);
/// Mean 1; `sigma` is the deviation of the logarithm.
double draw_lognormal(Random& random, double sigma);
/// Mean 1; `alpha` above 1, and the nearer to it the heavier the tail.
double draw_pareto(Random& random, double alpha);
/// Mean 1; a mix of two exponentials of equal weight in the sum, with this squared coefficient of variation, at
/// least 1.
double draw_hyperexponential(Random& random, double squared_variation);

/// Picks places of a list by weight. At least one weight must be above 0.
class Weighted {
public:
    explicit Weighted(const std::vector<double>& weights);
    std::size_t draw(Random& random) const;

private:
    std::vector<double> sums_;
};

/// Weights 1, 1/2, 1/3 … (Zipf): a few do much, many do little.
std::vector<double> zipf_weights(std::size_t count);

}  // namespace sy::sim
