#include "sim/draw.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace sy::sim {

namespace {
constexpr double kLogOfTwo = 0x1.62e42fefa39efp-1;
constexpr double kTurn = 0x1.921fb54442d18p+2;  // two pi
}  // namespace

/// x = 2^k m with m near 1; log m = 2 artanh((m - 1) / (m + 1)), whose series converges fast there.
double natural_log(double x) {
    int exponent = 0;
    double m = std::frexp(x, &exponent);  // exact
    if (m < 0x1.6a09e667f3bcdp-1) {       // under the square root of 1/2
        m *= 2;
        --exponent;
    }
    const double z = (m - 1) / (m + 1);
    const double square = z * z;
    double sum = 0;
    for (int k = 25; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * z * sum + exponent * kLogOfTwo;
}

/// x = k log 2 + r; Taylor's series for r, at most half of log 2.
double natural_exp(double x) {
    const double k = std::floor(x / kLogOfTwo + 0.5);
    const double r = x - k * kLogOfTwo;
    double sum = 1;
    for (int n = 18; n >= 1; --n) sum = 1 + sum * r / n;
    return std::ldexp(sum, static_cast<int>(k));  // exact
}

double sine_of_turns(double turns) {
    double part = turns - std::floor(turns);  // [0, 1)
    if (part > 0.75) {
        part -= 1;
    } else if (part > 0.25) {
        part = 0.5 - part;
    }
    const double x = part * kTurn;  // within a quarter turn of 0
    double sum = 1;
    for (int n = 20; n >= 2; n -= 2) sum = 1 - sum * x * x / (n * (n + 1));
    return x * sum;
}

double draw_exponential(Random& random) {
    return -natural_log(1 - random.uniform());
}

double draw_normal(Random& random) {
    while (true) {
        const double x = 2 * random.uniform() - 1;
        const double y = 2 * random.uniform() - 1;
        const double square = x * x + y * y;
        if (square > 0 && square < 1) return x * std::sqrt(-2 * natural_log(square) / square);
    }
}

double draw_lognormal(Random& random, double sigma) {
    return natural_exp(sigma * draw_normal(random) - sigma * sigma / 2);
}

double draw_pareto(Random& random, double alpha) {
    const double least = (alpha - 1) / alpha;
    return least * natural_exp(draw_exponential(random) / alpha);
}

double draw_hyperexponential(Random& random, double squared_variation) {
    const double p = (1 + std::sqrt((squared_variation - 1) / (squared_variation + 1))) / 2;
    const double share = random.chance(p) ? p : 1 - p;
    return draw_exponential(random) / (2 * share);
}

Weighted::Weighted(const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) sums_.push_back(sum += weight);
    SY_CHECK(sum > 0, "{} weights with a sum of {}", weights.size(), sum);
}

std::size_t Weighted::draw(Random& random) const {
    const double at = random.uniform() * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
}

std::vector<double> zipf_weights(std::size_t count) {
    std::vector<double> weights;
    for (std::size_t i = 1; i <= count; ++i) weights.push_back(1.0 / static_cast<double>(i));
    return weights;
}

}  // namespace sy::sim
