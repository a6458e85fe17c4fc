// A trace drawn for tests and benches of predictors: jobs as people submit them, with habits to find. Not part of the
// product.
//
// Users come by Zipf's law. Each works under a few names, the newer the more, and begins a new one now and then. A name
// has a typical run time, log-normal about its user's, that drifts over the trace; a job is log-normal about its
// name's, and one in twelve breaks within half a minute. Half of the users give estimates, each with his own bias and
// spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "core/model/job.h"

namespace sy::estimate::testing {

class TraceDraw {
public:
    explicit TraceDraw(std::uint64_t seed) : random_(seed) {
        for (std::uint32_t i = 0; i < kUsers; ++i) users_.push_back(new_user(i));
    }

    Trace draw(std::size_t jobs) {
        Trace trace;
        for (std::uint32_t exponent = 0; exponent <= kMostExponent; ++exponent)
            trace.demands.push_back({.gpus = 1U << exponent});
        trace.users.resize(1 + kUsers);
        trace.models.resize(1 + kModels);
        Instant now;
        for (std::size_t i = 0; i < jobs; ++i) {
            now += random_.exponential(1min);
            trace.jobs.push_back(job_at(now, static_cast<double>(i) / static_cast<double>(jobs)));
            trace.ids.push_back(std::to_string(i));
        }
        trace.names.resize(names_ + 1);
        return trace;
    }

private:
    static constexpr std::uint32_t kUsers = 60;
    static constexpr std::uint32_t kModels = 12;
    static constexpr std::uint32_t kMostExponent = 3;

    struct Name {
        NameId id;
        NameId model;
        DemandId demand;
        double typical;  ///< Logarithm of seconds, as are all spreads here.
        double drift;
    };
    struct User {
        double typical;
        double share;  ///< Of all jobs, up to a common factor.
        bool estimates;
        double bias;
        double spread;
        std::vector<Name> names;
    };

    double normal() {
        return std::sqrt(-2 * std::log1p(-random_.uniform())) * std::cos(2 * 3.14159265358979 * random_.uniform());
    }
    /// 0 most often, each further one less so.
    std::size_t few(double mean, std::size_t most) {
        return std::min(most, static_cast<std::size_t>(-std::log1p(-random_.uniform()) * mean));
    }

    Name new_name(const User& user) {
        const auto exponent = static_cast<std::uint32_t>(few(0.9, kMostExponent));
        return {NameId(++names_), NameId(1 + static_cast<std::uint32_t>(random_.below(kModels))), DemandId(exponent),
                user.typical + 1.3 * normal() + 0.25 * exponent, 2 * normal()};
    }
    User new_user(std::uint32_t rank) {
        User user{std::log(900) + 1.2 * normal(), 1 / std::pow(rank + 1, 1.1),   random_.chance(0.5),
                  0.7 + 0.5 * normal(),           0.2 + 0.6 * random_.uniform(), {}};
        for (std::uint64_t left = 2 + random_.below(10); left > 0; --left) user.names.push_back(new_name(user));
        return user;
    }

    std::size_t any_user() {
        double sum = 0;
        for (const User& user : users_) sum += user.share;
        double at = random_.uniform() * sum;
        std::size_t i = 0;
        while (i + 1 < users_.size() && (at -= users_[i].share) >= 0) ++i;
        return i;
    }

    Job job_at(Instant now, double progress) {
        const std::size_t who = any_user();
        User& user = users_[who];
        if (random_.chance(0.04)) user.names.push_back(new_name(user));
        const Name& name = user.names[user.names.size() - 1 - few(2.5, user.names.size() - 1)];
        const double drawn = std::exp(name.typical + name.drift * progress + 0.6 * normal());
        const double seconds = random_.chance(0.08) ? 5 + 30 * random_.uniform() : std::min(drawn, 86400.0);
        const double estimate = user.estimates ? seconds * std::exp(user.bias + user.spread * normal()) : 0;
        Job job;
        job.submit = now;
        job.length = of_seconds(seconds);
        job.estimate = of_seconds(60 * std::ceil(estimate / 60));
        job.user = NameId(static_cast<std::uint32_t>(who) + 1);
        job.model = name.model;
        job.name = name.id;
        job.demand = name.demand;
        return job;
    }

    static Duration of_seconds(double seconds) { return Duration(std::llround(seconds * 1e9)); }

    Random random_;
    std::uint32_t names_ = 0;
    std::vector<User> users_;
};

inline Trace drawn_trace(std::uint64_t seed, std::size_t jobs) {
    return TraceDraw(seed).draw(jobs);
}

}  // namespace sy::estimate::testing
