// A router that sends each request where it is expected to be through first counts a step for every batch of requests
// ahead of it at every node. With x tokens a second through a pipeline that takes T for a round, x·T requests are under
// way, so it looks like T·(1 + x·T / batch). Requests go to the quickest until it looks no better than the next: at
// some level m all pipelines that are used look like m, or are full. x = batch·(m − T) / T², at most what there is room
// for; the least m that takes all that is asked is found by bisection. What is waited for in truth is less than it
// looks, since tokens of one batch go together: the mean counts T.
#include "core/pipeline/under_load.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/wide.h"
#include "core/pipeline/divide/team.h"

namespace sy::pipeline {

namespace {

/// What is asked for where nobody says: as the simulator has it.
constexpr std::uint32_t kPrompt = 512;
constexpr std::uint32_t kAnswer = 128;

struct Course {
    Duration round{};  ///< Of a token, its part of the prompt included.
    Rate most = 0;
};

Course course_of(const Costs& costs, const Pipeline& stages) {
    Course course{latency(costs, stages), throughput(costs, stages)};
    Duration prompts{};
    Duration busiest{};  // of a request's time
    std::uint32_t requests = std::numeric_limits<std::uint32_t>::max();
    for (const auto& [node, range] : stages) {
        const Duration prompt = costs.prompt_time(node, range, kPrompt);
        prompts += prompt;
        busiest = std::max(busiest, prompt + costs.time(node, range) * kAnswer / costs.batch);
        requests = std::min(requests, costs.requests(node, range));
    }
    // A token that comes back to the slowest node waits for its next step.
    const Duration step = std::max<Duration>(1ns, bottleneck(costs, stages));
    const Duration round = (course.round + step - 1ns) / step * step;
    course.round = std::max<Duration>(1ns, round + prompts / kAnswer);
    const auto per_second = [](Wide tokens, Duration time) {
        return static_cast<Rate>(std::min<Wide>(kNoLimit, tokens * kTokenPerSecond * 1'000'000'000 / time.count()));
    };
    if (busiest > Duration::zero()) course.most = std::min(course.most, per_second(kAnswer, busiest));
    course.most = std::min(course.most, per_second(requests, course.round));
    return course;
}

std::vector<Course> courses_of(const Costs& costs, const Division& division) {
    std::vector<Course> courses;
    for (const ServedPipeline& pipeline : division.pipelines) courses.push_back(course_of(costs, pipeline.stages));
    return courses;
}

constexpr Wide kWhole = 1'000'000'000;  ///< Of a batch.
constexpr Wide kMostBatches = kWhole * kWhole;

/// Tokens a second through a pipeline that is to look like `level`.
Rate taken_at(const Course& course, Duration level, std::uint32_t batch) {
    if (level <= course.round) return 0;
    const Wide round = course.round.count();
    const Wide batches = std::min(kMostBatches, (level.count() - round) * kWhole / round);
    return static_cast<Rate>(std::min<Wide>(batches * batch * kTokenPerSecond / round, course.most));
}

Rate taken_at(const std::vector<Course>& courses, Duration level, std::uint32_t batch) {
    Rate sum = 0;
    for (const Course& course : courses) sum += taken_at(course, level, batch);
    return sum;
}

/// What it looks like when it is full, and a little more.
Duration full_level(const Course& course, std::uint32_t batch) {
    const Wide round = course.round.count();
    const Wide requests = course.most * round / kTokenPerSecond + kWhole;  // in billionths
    return Duration(
        static_cast<std::int64_t>(std::min<Wide>(kEndless.count(), round + requests * round / batch / kWhole + 1)));
}

std::optional<Duration> mean_round_of(const std::vector<Course>& courses, Rate asked, std::uint32_t batch) {
    Duration low{};
    Duration high{};
    for (const Course& course : courses) high = std::max(high, full_level(course, batch));
    if (asked <= 0 || taken_at(courses, high, batch) < asked) return {};
    while (high - low > 1ns) {
        const Duration middle = low + (high - low) / 2;
        (taken_at(courses, middle, batch) < asked ? low : high) = middle;
    }
    Wide under_way = 0;
    for (const Course& course : courses) under_way += Wide{taken_at(course, high, batch)} * course.round.count();
    return Duration(static_cast<std::int64_t>(under_way / taken_at(courses, high, batch)));
}

Rate most_of(const std::vector<Course>& courses) {
    Rate sum = 0;
    for (const Course& course : courses) sum += course.most;
    return sum;
}

}  // namespace

std::optional<Duration> mean_round(const Costs& costs, const Division& division, Rate asked) {
    return mean_round_of(courses_of(costs, division), asked, costs.batch);
}

std::size_t quickest_under_load(const Costs& costs, const std::vector<Division>& divisions) {
    std::vector<std::vector<Course>> all;
    Rate roomiest = 0;
    for (const Division& division : divisions) {
        all.push_back(courses_of(costs, division));
        roomiest = std::max(roomiest, most_of(all.back()));
    }
    std::size_t best = 0;
    std::optional<Duration> least;
    for (std::size_t d = 0; d < all.size(); ++d) {
        if (most_of(all[d]) < roomiest / 5 * 4) continue;
        const auto quiet = mean_round_of(all[d], roomiest / 5 * 2, costs.batch);
        const auto busy = mean_round_of(all[d], roomiest / 5 * 3, costs.batch);
        if (!quiet || !busy) continue;
        if (const Duration sum = *quiet + *busy; !least || sum < *least - *least / 100) {
            least = sum;
            best = d;
        }
    }
    return best;
}

}  // namespace sy::pipeline
