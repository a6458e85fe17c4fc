#include "sim/recipe.h"

#include <utility>

#include <fmt/format.h>

namespace sy::sim {

namespace {

constexpr Duration kLongestSpan = 24h * 365 * 10;
constexpr Duration kLongestMean = 24h * 30;
constexpr std::uint32_t kMostUsers = 1'000'000;

tl::unexpected<Error> wrong(const std::string& what, const std::string& fix) {
    return fail(Fault::usage, what, fix);
}

Result<void> check_lengths(const LengthLaw& lengths) {
    if (lengths.mean < 10ms || lengths.mean > kLongestMean)
        return wrong(fmt::format("the mean length is {} s, it must be from 0.01 to {} s", seconds_text(lengths.mean),
                                 seconds_text(kLongestMean)),
                     "give another mean");
    switch (lengths.law) {
        case Lengths::lognormal:
            if (lengths.shape > 0 && lengths.shape <= 4) return {};
            return wrong(
                fmt::format("the sigma of lognormal lengths is {}, it must be above 0 and at most 4", lengths.shape),
                "for example lognormal:1.5");
        case Lengths::pareto:
            if (lengths.shape > 1 && lengths.shape <= 100) return {};
            return wrong(
                fmt::format("the alpha of pareto lengths is {}, it must be above 1 and at most 100", lengths.shape),
                "for example pareto:1.5; at 1 and below the mean would be infinite");
        case Lengths::hyperexponential:
            if (lengths.shape >= 1 && lengths.shape <= 1000) return {};
            return wrong(
                fmt::format("the squared variation of hyperexponential lengths is {}, it must be from 1 to 1000",
                            lengths.shape),
                "for example hyperexponential:10");
        case Lengths::exponential:
        case Lengths::fixed: return {};
    }
    return {};
}

Result<void> check_gangs(const Recipe& recipe) {
    double sum = 0;
    for (const GangShare& gang : recipe.gangs) {
        sum += gang.weight;
        if (gang.gpus == 0) return wrong("a gang has 0 GPUs", "give every gang at least one");
        if (gang.gpus > recipe.capacity && gang.weight > 0)
            return wrong(fmt::format("a gang of {} GPUs does not fit a cluster of {}", gang.gpus, recipe.capacity),
                         "give a larger --cluster or smaller --gpus");
    }
    if (sum > 0) return {};
    return wrong("no gang has a weight above 0", "for example --gpus 1:0.7,8:0.3");
}

Result<void> check_shares(const Recipe& recipe) {
    for (const auto& [what, share] : {std::pair{"repeats", recipe.repeats}, std::pair{"deadlines", recipe.deadlines}})
        if (!(share >= 0 && share <= 1))
            return wrong(fmt::format("the share of {} is {}, it must be from 0 to 1", what, share),
                         "give a part of the whole, such as 0.5");
    const Mix& mix = recipe.mix;
    if (!(mix.batch >= 0 && mix.online >= 0 && mix.stream >= 0 && mix.batch + mix.online + mix.stream > 0))
        return wrong("no kind of work has a weight above 0", "for example --mix batch:0.8,online:0.2");
    if (!(recipe.estimate_noise >= 0 && recipe.estimate_noise <= 4))
        return wrong(fmt::format("the noise of estimates is {}, it must be from 0 to 4", recipe.estimate_noise),
                     "0 makes estimates exact");
    if (!(recipe.slack >= 0 && recipe.slack <= 1000))
        return wrong(fmt::format("the slack is {}, it must be from 0 to 1000", recipe.slack), "for example 2");
    if (recipe.users == 0 || recipe.users > kMostUsers)
        return wrong(fmt::format("there are {} users, there must be from 1 to {}", recipe.users, kMostUsers),
                     "give another number of --users");
    return {};
}

Result<void> check_size(const Recipe& recipe) {
    if (recipe.jobs == 0 && recipe.span == 0s)
        return wrong("a trace needs a number of jobs or of hours", "give --jobs or --hours");
    if (recipe.span > kLongestSpan)
        return wrong(fmt::format("the trace would span {} h, the limit is {} h", recipe.span / 1h, kLongestSpan / 1h),
                     "give fewer --hours");
    const bool by_load = recipe.jobs == 0 || recipe.span == 0s;
    if (by_load && !(recipe.load >= 0.001 && recipe.load <= 100))
        return wrong(fmt::format("the load is {}, it must be from 0.001 to 100", recipe.load),
                     "1 is all the cluster can do");
    const double rate = recipe.load * static_cast<double>(recipe.capacity) / mean_work(recipe);
    const double jobs = recipe.jobs > 0 ? static_cast<double>(recipe.jobs) : rate * to_seconds(recipe.span);
    if (jobs > static_cast<double>(kMostGenerated))
        return wrong(fmt::format("the trace would have {:.0f} jobs, the limit is {}", jobs, kMostGenerated),
                     "ask for fewer jobs or hours, a smaller load, or longer jobs");
    if (recipe.span == 0s && jobs / rate > to_seconds(kLongestSpan))
        return wrong(fmt::format("the jobs would take {:.0f} h to come at that load, the limit is {} h",
                                 jobs / rate / 3600, kLongestSpan / 1h),
                     "ask for fewer or shorter jobs, a larger load, or a larger cluster");
    return {};
}

}  // namespace

double mean_work(const Recipe& recipe) {
    double gpus = 0;
    double weights = 0;
    for (const GangShare& gang : recipe.gangs) {
        gpus += gang.weight * gang.gpus;
        weights += gang.weight;
    }
    const Mix& mix = recipe.mix;
    const double work = mix.batch * gpus / weights + mix.online * kOnlineLength + mix.stream * kWindowLength;
    return to_seconds(recipe.lengths.mean) * work / (mix.batch + mix.online + mix.stream);
}

Result<void> check(const Recipe& recipe) {
    if (auto lengths = check_lengths(recipe.lengths); !lengths) return lengths;
    if (auto gangs = check_gangs(recipe); !gangs) return gangs;
    if (auto shares = check_shares(recipe); !shares) return shares;
    return check_size(recipe);
}

}  // namespace sy::sim
