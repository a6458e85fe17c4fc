#include "core/plan/replay.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/testing.h"
#include "core/plan/verify.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Yard;
using Time = Replay::Time;

/// The same played anew from the start, by the rules as users read them.
class NaivePlay {
public:
    struct Job {
        GpuSpan span;
        Time free = 0;  ///< When the last of its GPUs was.
        Time load = 0;
        Time start = 0;
        Time end = 0;
    };

    explicit NaivePlay(const Problem& problem) : problem_(&problem), gpus_(problem.batch().gpus.size()) {
        const auto& all = problem.batch().gpus;
        for (std::uint32_t begin = 0; begin < all.size();) {  // who holds a gang's model side by side is a group
            std::uint32_t end = begin + 1;
            const auto held = all[begin].holds;
            while (held && end < all.size() && all[end].holds == held && all[end].node == all[begin].node &&
                   end - begin < problem.batch().models[held->value()].gpus)
                ++end;
            for (std::uint32_t gpu = begin; gpu < end; ++gpu) gpus_[gpu] = {0, held, {GpuId(begin), end - begin}};
            begin = end;
        }
        jobs_.resize(problem.jobs().size());
    }

    Job offer(JobIndex job, const GpuSpan& span) const {
        const ModelId model = problem_->jobs().model(job);
        Job offered{span};
        for (GpuId id = span.first; id < span.end(); id = id.next()) {
            const Gpu& gpu = gpus_[id.value()];
            offered.free = std::max(offered.free, gpu.free);
            if (gpu.model == model && gpu.group == span) continue;
            const auto from = gpu.model == model ? std::nullopt : gpu.model;
            offered.load = std::max(offered.load, problem_->switch_cost()(problem_->kind(id), from, model).count());
        }
        offered.start = offered.free + offered.load;
        problem_->jobs().for_each_need(
            job, [&](JobIndex need) { offered.start = std::max(offered.start, jobs_[need].end); });
        offered.end = offered.start + problem_->time(job, span).count();
        return offered;
    }
    void run(JobIndex job, const GpuSpan& span) {
        jobs_[job] = offer(job, span);
        for (GpuId id = span.first; id < span.end(); id = id.next())
            gpus_[id.value()] = {jobs_[job].end, problem_->jobs().model(job), span};
    }

    const Job& job(JobIndex index) const { return jobs_[index]; }
    Time makespan() const {
        Time last = 0;
        for (const Job& job : jobs_) last = std::max(last, job.end);
        return last;
    }
    Time total() const {
        Time sum = 0;
        for (const Gpu& gpu : gpus_) sum += gpu.free;
        return sum;
    }

private:
    struct Gpu {
        Time free = 0;
        std::optional<ModelId> model;
        GpuSpan group;
    };

    const Problem* problem_;
    std::vector<Gpu> gpus_;
    std::vector<Job> jobs_;
};

const GpuSpan& span_of(const Problem& problem, const Replay& replay, JobIndex job) {
    return problem.spans(problem.jobs().model(job))[replay.place()[job]];
}

NaivePlay played_anew(const Problem& problem, const Replay& replay) {
    NaivePlay play(problem);
    for (const JobIndex job : replay.order()) play.run(job, span_of(problem, replay, job));
    return play;
}

/// Every place tried: where it ends first, of these where its GPUs fall free last, of these the lowest.
NaivePlay played_soonest(const Problem& problem, const Replay& replay) {
    NaivePlay play(problem);
    for (const JobIndex job : replay.order()) {
        std::optional<NaivePlay::Job> best;
        for (const GpuSpan& span : problem.spans(problem.jobs().model(job))) {
            if (problem.time(job, span) < Duration::zero()) continue;
            const auto offer = play.offer(job, span);
            if (!best || offer.end < best->end || (offer.end == best->end && offer.free > best->free)) best = offer;
        }
        play.run(job, best->span);
    }
    return play;
}

std::uint32_t any_place(Random& random, const Problem& problem, const Replay& replay, JobIndex job) {
    for (;;) {
        const auto place = static_cast<std::uint32_t>(random.below(problem.spans(problem.jobs().model(job)).size()));
        if (replay.can_run(job, place)) return place;
    }
}

/// Any order with needs first, any places.
void begin(Random& random, const Problem& problem, Replay& replay) {
    std::vector<std::size_t> open;
    std::vector<JobIndex> ready;
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
        open.push_back(problem.jobs().need_count(job));
        if (open[job] == 0) ready.push_back(job);
        replay.place()[job] = any_place(random, problem, replay, job);
    }
    while (!ready.empty()) {
        std::swap(ready[random.below(ready.size())], ready.back());
        const JobIndex job = ready.back();
        ready.pop_back();
        replay.order().push_back(job);
        problem.jobs().for_each_successor(job, [&](JobIndex next) {
            if (--open[next] == 0) ready.push_back(next);
        });
    }
}

/// Moves one job in the order or to another place. What is before the answer is as it was.
std::size_t change_something(Random& random, const Problem& problem, Replay& replay) {
    auto& order = replay.order();
    const std::size_t from = random.below(order.size());
    const JobIndex job = order[from];
    const auto position = [&](JobIndex other) {
        return static_cast<std::size_t>(std::find(order.begin(), order.end(), other) - order.begin());
    };
    std::size_t first = 0;
    std::size_t last = order.size() - 1;
    for (const JobIndex need : replay.needs(job)) first = std::max(first, position(need) + 1);
    for (const JobIndex next : replay.successors(job)) last = std::min(last, position(next) - 1);
    const std::size_t to = random.chance(0.3) ? from : first + random.below(last - first + 1);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), job);
    if (random.chance(0.5)) replay.place()[job] = any_place(random, problem, replay, job);
    return std::min(from, to);
}

void expect_plan(const Problem& problem, const Replay& replay, Time makespan) {
    const Plan plan{.jobs = replay.plan()};
    const auto verdict = verify(problem.batch(), plan);
    ASSERT_TRUE(verdict) << verdict.error().message;
    ASSERT_EQ(plan.makespan().count(), makespan);
}

bool overlap(const GpuSpan& a, const GpuSpan& b) {
    return a.first < b.end() && b.first < a.end();
}

/// Every job of the chain starts when the next one's end lets it, and the last when its load does.
void expect_critical(const Replay& replay, const NaivePlay& play) {
    const auto chain = replay.critical();
    ASSERT_FALSE(chain.empty());
    ASSERT_EQ(play.job(chain.front()).end, play.makespan());
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        const auto& late = play.job(chain[i]);
        const auto& early = play.job(chain[i + 1]);
        const auto& needs = replay.needs(chain[i]);
        const bool is_needed = std::find(needs.begin(), needs.end(), chain[i + 1]) != needs.end();
        const bool was_there = overlap(late.span, early.span) && late.start == early.end + late.load;
        ASSERT_TRUE((is_needed && late.start == early.end) || was_there)
            << "job " << chain[i] << " does not wait for job " << chain[i + 1];
    }
    ASSERT_EQ(play.job(chain.back()).start, play.job(chain.back()).load) << "somebody is missing";
}

void expect_kept(const Problem& problem, const Replay& replay, const NaivePlay& play) {
    for (JobIndex job = 0; job < problem.jobs().size(); ++job) {
        ASSERT_EQ(replay.end(job), play.job(job).end) << "job " << job;
        ASSERT_EQ(span_of(problem, replay, job), play.job(job).span) << "job " << job;
    }
    expect_critical(replay, play);
    expect_plan(problem, replay, play.makespan());
}

/// Changes, plays from there on, keeps some and takes others back.
void change_and_compare(const Problem& problem, Replay::Places places, std::uint64_t seed, int changes) {
    Random random(seed);
    Replay replay(problem, places);
    const auto anew = [&] {
        return places == Replay::Places::given ? played_anew(problem, replay) : played_soonest(problem, replay);
    };
    begin(random, problem, replay);
    NaivePlay kept = anew();
    ASSERT_EQ(replay.play(0, Replay::kTooLate - 1).makespan, kept.makespan());
    replay.keep();
    for (int change = 0; change < changes; ++change) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ", change " << change);
        const auto order = replay.order();
        const auto place = replay.place();
        const std::size_t from = change_something(random, problem, replay);
        const NaivePlay now = anew();
        const Time slack = now.makespan() / 10;
        const Time limit = random.chance(0.3) ? Replay::kTooLate - 1 : now.makespan() + random.between(-slack, slack);
        const auto outcome = replay.play(from, limit);
        const bool is_late = outcome.makespan == Replay::kTooLate;
        ASSERT_EQ(outcome.makespan, is_late ? Replay::kTooLate : now.makespan());
        ASSERT_EQ(outcome.total, is_late ? 0 : now.total());
        ASSERT_TRUE(!is_late || now.makespan() > limit) << "broken off without need";
        if (!is_late && random.chance(0.5)) {
            replay.keep();
            kept = now;
        } else {
            replay.order() = order;
            replay.place() = place;
        }
        if (change % 4 == 0) expect_kept(problem, replay, kept);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(Replay, JobsRunAsEarlyAsTheyCanWithLoadsAhead) {
    const Batch batch = Yard()
                            .gpus(2, 80)
                            .switching(1, 1s)
                            .model("bge", 2)
                            .model("big", 5)
                            .workflow("w")
                            .step("a", "bge", 10)
                            .step("b", "big", 4, {0})
                            .requests(1)
                            .batch();
    const Problem problem(batch);
    Replay replay(problem, Replay::Places::given);
    replay.order() = {0, 1};
    replay.place() = {0, 1};
    EXPECT_EQ(replay.play(0, Replay::kTooLate - 1).makespan, Duration(3s + 10s + 4s).count()) << "loaded ahead";
    replay.keep();
    EXPECT_EQ(replay.critical(), (std::vector<JobIndex>{1, 0}));
    replay.place() = {0, 0};
    EXPECT_EQ(replay.play(1, Replay::kTooLate - 1).makespan, Duration(3s + 10s + 8s + 4s).count()) << "on one GPU";
    EXPECT_EQ(replay.end(1), Duration(3s + 10s + 4s).count()) << "not kept yet";
    replay.keep();
    EXPECT_EQ(replay.end(1), Duration(3s + 10s + 8s + 4s).count());
}

TEST(Replay, APlayIsBrokenOffAtTheFirstJobThatIsTooLate) {
    Yard yard = Yard().gpus(1, 80).switching(1, 1s).model("bge", 2).workflow("w").step("a", "bge", 1);
    const Batch batch = yard.requests(4).batch();
    const Problem problem(batch);
    Replay replay(problem, Replay::Places::given);
    replay.order() = {0, 1, 2, 3};
    const Time makespan = Duration(3s + 4s).count();
    EXPECT_EQ(replay.play(0, makespan).makespan, makespan) << "as late as allowed is not too late";
    EXPECT_EQ(replay.play(0, makespan - 1).makespan, Replay::kTooLate);
}

TEST(Replay, NothingToPlayTakesNoTime) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 1).batch();
    const Problem problem(batch);
    for (const auto places : {Replay::Places::given, Replay::Places::soonest}) {
        Replay replay(problem, places);
        EXPECT_EQ(replay.play(0, 0).makespan, 0);
        replay.keep();
        EXPECT_TRUE(replay.critical().empty());
        EXPECT_TRUE(replay.plan().empty());
    }
}

/// A gang that lost one GPU to another model for a while: the others still hold their parts.
TEST(Replay, AGangThatComesBackLoadsOnlyWhereItsPartIsGone) {
    const std::vector<std::optional<ModelId>> from{std::nullopt, ModelId(0), ModelId(1)};
    const Batch batch = Yard()
                            .gpus(2, 80)
                            .model("wide", 60, 2)
                            .model("bge", 2)
                            .matrix({std::nullopt, from, {ModelId(0), ModelId(1)}, {{9s, 1s}, {0s, 1s}, {2s, 0s}}})
                            .workflow("w")
                            .step("a", "wide", 1)
                            .step("b", "bge", 1)
                            .step("c", "wide", 1)
                            .requests(1)
                            .batch();
    const Problem problem(batch);
    Replay replay(problem, Replay::Places::given);
    replay.order() = {0, 1, 2};
    const auto makespan = Duration(9s + 1s + 1s + 1s + 2s + 1s).count();
    EXPECT_EQ(replay.play(0, Replay::kTooLate - 1).makespan, makespan);
    replay.keep();
    expect_plan(problem, replay, makespan);
}

TEST(Replay, PlayingFromAChangeOnIsPlayingAllAnew) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        if (testing::job_count(batch) == 0) continue;
        change_and_compare(Problem(batch), Replay::Places::given, seed, 60);
        if (HasFatalFailure()) return;
    }
}

TEST(Replay, SoonestPlacesAreThoseOfAScan) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Batch batch = random_batch(random);
        if (testing::job_count(batch) == 0) continue;
        change_and_compare(Problem(batch), Replay::Places::soonest, seed, 60);
        if (HasFatalFailure()) return;
    }
}

TEST(Replay, StepsThatTakeNoTimeArePlayedToo) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        Batch batch = random_batch(random);
        if (testing::job_count(batch) == 0) continue;
        for (Workflow& workflow : batch.workflows)
            for (std::size_t s = seed % 2; s < workflow.steps.size(); s += 2)
                for (auto& on_kind : workflow.steps[s].seconds)
                    if (on_kind) on_kind = 0;
        if (seed % 3 == 0) batch.switching = {1e30, Duration::zero(), true, {}};
        for (const auto places : {Replay::Places::given, Replay::Places::soonest})
            change_and_compare(Problem(batch), places, seed, 40);
        if (HasFatalFailure()) return;
    }
}

/// What was tried and not kept leaves no trace in the plan, even where the caller chooses no places.
TEST(Replay, AnUnkeptPlayLeavesThePlanAlone) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        Random random(seed);
        const Batch batch = random_batch(random);
        if (testing::job_count(batch) == 0) continue;
        const Problem problem(batch);
        Replay replay(problem, Replay::Places::soonest);
        begin(random, problem, replay);
        const Time makespan = replay.play(0, Replay::kTooLate - 1).makespan;
        replay.keep();
        const auto order = replay.order();
        replay.play(change_something(random, problem, replay), Replay::kTooLate - 1);
        replay.order() = order;
        expect_plan(problem, replay, makespan);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace sy::plan
