// The index and the ready order change what a plan costs, never the plan: here `dynamic` and `batch` stand once more as
// plain scans over every place, and both must plan the same to the nanosecond.
#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/plan/balance.h"
#include "core/plan/batch.h"
#include "core/plan/dynamic.h"
#include "core/plan/fleet.h"
#include "core/plan/testing.h"

namespace sy::plan {
namespace {

using testing::random_batch;
using testing::Yard;

/// By level, then by a random number drawn when the last need was taken, then by number.
class NaiveReady {
public:
    NaiveReady(const Jobs& jobs, std::uint64_t seed) : jobs_(jobs), random_(seed) {
        for (JobIndex job = 0; job < jobs.size(); ++job) {
            open_.push_back(jobs.need_count(job));
            if (open_[job] == 0) add(job);
        }
    }
    bool empty() const { return queue_.empty(); }
    JobIndex take() {
        const JobIndex job = std::get<2>(queue_.top());
        queue_.pop();
        jobs_.for_each_successor(job, [this](JobIndex next) {
            if (--open_[next] == 0) add(next);
        });
        return job;
    }

private:
    using Key = std::tuple<std::uint32_t, std::uint64_t, JobIndex>;

    void add(JobIndex job) { queue_.emplace(jobs_.level(job), random_.next() >> 32U, job); }

    const Jobs& jobs_;
    Random random_;
    std::vector<std::size_t> open_;
    std::priority_queue<Key, std::vector<Key>, std::greater<>> queue_;
};

/// Jobs planned one after another behind all else on their place.
class NaivePlan {
public:
    NaivePlan(const Problem& problem, const PlanOptions& options)
        : problem_(problem), fleet_(problem, options.preload), end_(problem.jobs().size(), kStart) {}

    const Fleet& fleet() const { return fleet_; }
    const std::vector<PlannedJob>& jobs() const { return planned_; }
    Instant ready(JobIndex job) const {
        Instant after = kStart;
        problem_.jobs().for_each_need(job, [&](JobIndex need) { after = std::max(after, end_[need]); });
        return after;
    }
    void run(JobIndex job, const GpuSpan& span) {
        planned_.push_back(*fleet_.offer(job, span, ready(job)));
        fleet_.take(planned_.back());
        end_[job] = planned_.back().end;
    }

private:
    const Problem& problem_;
    Fleet fleet_;
    std::vector<Instant> end_;
    std::vector<PlannedJob> planned_;
};

std::vector<PlannedJob> naive_dynamic(const Problem& problem, const PlanOptions& options) {
    const Jobs& jobs = problem.jobs();
    NaivePlan plan(problem, options);
    Balance balance(plan.fleet(), options.balance_hundredths);
    const auto score = [&](const PlannedJob& offer) {
        Duration busy{};
        for (GpuId gpu = offer.gpus.first; gpu < offer.gpus.end(); gpu = gpu.next()) busy += plan.fleet().busy(gpu);
        return balance.weights().end * (offer.end - kStart).count() +
               balance.weights().busy * (busy.count() / offer.gpus.count);
    };
    for (NaiveReady ready(jobs, options.seed); !ready.empty();) {
        const JobIndex job = ready.take();
        GpuSpan best;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const GpuSpan& span : problem.spans(jobs.model(job))) {
            const auto offer = plan.fleet().offer(job, span, plan.ready(job));
            if (!offer || score(*offer) >= least) continue;
            best = span;
            least = score(*offer);
        }
        plan.run(job, best);
        balance.job_taken();
    }
    return plan.jobs();
}

struct NaiveBatch {
    ModelId model;
    std::uint32_t level = 0;
    Duration expected{};
    std::vector<JobIndex> jobs;
};

std::vector<NaiveBatch> naive_batches(const Problem& problem) {
    const Jobs& jobs = problem.jobs();
    std::map<std::pair<std::uint32_t, ModelId>, NaiveBatch> groups;
    for (JobIndex job = 0; job < jobs.size(); ++job) {
        NaiveBatch& group = groups[{jobs.level(job), jobs.model(job)}];
        group.expected += jobs.least_time(job);
        group.jobs.push_back(job);
    }
    std::vector<NaiveBatch> batches;
    for (const auto& [key, group] : groups) {
        const auto [level, model] = key;
        const Duration least = 4 * std::max(problem.switch_cost().least(model), Duration(1ms));
        const auto places = static_cast<std::int64_t>(problem.spans(model).size());
        const Duration share = group.expected / std::clamp<std::int64_t>(group.expected / least, 1, places);
        NaiveBatch part{model, level, {}, {}};
        for (const JobIndex job : group.jobs) {
            part.jobs.push_back(job);
            part.expected += jobs.least_time(job);
            if (part.expected < share && job != group.jobs.back()) continue;
            batches.push_back(std::exchange(part, {model, level, {}, {}}));
        }
    }
    std::stable_sort(batches.begin(), batches.end(), [](const NaiveBatch& a, const NaiveBatch& b) {
        return a.level != b.level ? a.level < b.level : a.expected > b.expected;
    });
    return batches;
}

/// Where all these jobs can run and the first could begin soonest if it were ready.
std::optional<GpuSpan> naive_place(const Problem& problem, const Fleet& fleet, const std::vector<JobIndex>& jobs) {
    std::optional<GpuSpan> best;
    Instant soonest = kNever;
    for (const GpuSpan& span : problem.spans(problem.jobs().model(jobs.front()))) {
        const auto runs = [&](JobIndex job) { return problem.time(job, span) >= Duration::zero(); };
        if (!std::all_of(jobs.begin(), jobs.end(), runs)) continue;
        const Instant start = fleet.offer(jobs.front(), span, kStart)->start;
        if (start >= soonest) continue;
        soonest = start;
        best = span;
    }
    return best;
}

std::vector<PlannedJob> naive_batch(const Problem& problem, const PlanOptions& options) {
    NaivePlan plan(problem, options);
    for (const NaiveBatch& batch : naive_batches(problem)) {
        const auto span = naive_place(problem, plan.fleet(), batch.jobs);
        for (const JobIndex job : batch.jobs) plan.run(job, span ? *span : *naive_place(problem, plan.fleet(), {job}));
    }
    return plan.jobs();
}

/// Every combination within a few seeds.
PlanOptions drawn_options(std::uint64_t seed) {
    PlanOptions options;
    options.seed = seed;
    options.preload = seed % 2 == 0;
    if (seed % 3 == 0) options.balance_hundredths = std::nullopt;
    if (seed % 9 == 1) options.balance_hundredths = 37;
    if (seed % 9 == 2) options.balance_hundredths = 0;
    return options;
}

void expect_twins(const Batch& batch, std::uint64_t seed) {
    const Problem problem(batch);
    const PlanOptions options = drawn_options(seed);
    ASSERT_EQ(Dynamic().plan(problem, options).jobs, naive_dynamic(problem, options)) << "dynamic, seed " << seed;
    ASSERT_EQ(BatchByModel().plan(problem, options).jobs, naive_batch(problem, options)) << "batch, seed " << seed;
}

/// Every step as long as any other: ties everywhere.
void even_out(Batch& batch) {
    for (Workflow& workflow : batch.workflows)
        for (Step& step : workflow.steps)
            for (auto& on_kind : step.seconds)
                if (on_kind) on_kind = 1;
    for (Request& request : batch.requests) request.scale = 1;
}

void spoil_for_index(Batch& batch, std::uint64_t seed) {
    if (seed % 5 == 0) even_out(batch);
    if (seed % 7 == 0) batch.switching = {1e30, Duration::zero(), true, {}};  // switches take no time
}

/// More GPUs, models and requests than random_batch draws, most of the GPUs alike.
Batch larger_batch(Random& random) {
    Yard yard;
    for (std::uint64_t node = 0, nodes = 2 + random.below(8); node < nodes; ++node) {
        const bool small = random.chance(0.2);
        yard.gpus(8, small ? 24 : 80, small ? "small" : "large", "n" + std::to_string(node));
    }
    Batch batch = yard.batch();
    for (std::uint64_t more = 1 + random.below(8); more > 0; --more) testing::draw_models(random, batch);
    for (std::uint64_t more = 1 + random.below(4); more > 0; --more) testing::draw_workflows(random, batch);
    testing::draw_switching(random, batch);
    testing::draw_holds(random, batch);
    for (std::uint64_t r = 0, many = 50 + random.below(150); r < many; ++r)
        batch.requests.push_back({"r" + std::to_string(r),
                                  static_cast<std::uint32_t>(random.below(batch.workflows.size())),
                                  static_cast<double>(1 + random.below(1'000)) / 300, Level::normal});
    return batch;
}

TEST(Twins, TenThousandSmallBatchesArePlannedAsByAScan) {
    for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
        Random random(seed);
        Batch batch = random_batch(random);
        spoil_for_index(batch, seed);
        expect_twins(batch, seed);
        if (HasFatalFailure()) return;
    }
}

TEST(Twins, LargerBatchesArePlannedAsByAScan) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        Batch batch = larger_batch(random);
        spoil_for_index(batch, seed);
        expect_twins(batch, seed);
        if (HasFatalFailure()) return;
    }
}

TEST(Twins, ABatchWithMoreModelsThanGpusIsPlannedAsByAScan) {
    Yard yard;
    yard.gpus(64, 80);
    for (int m = 0; m < 200; ++m)
        yard.model("m" + std::to_string(m), static_cast<std::uint64_t>(1 + m % 70), m % 20 == 0 ? 2 : 1);
    yard.workflow("w");
    for (int m = 0; m < 200; ++m) yard.step("s" + std::to_string(m), "m" + std::to_string(m), 1 + m % 7);
    expect_twins(yard.requests(10).batch(), 1);
}

TEST(Balance, WeighsByTheDocumentUntilToldOtherwise) {
    const Batch batch = Yard().gpus(2, 80).model("bge", 2).batch();
    const Problem problem(batch);
    const Fleet fleet(problem, false);
    EXPECT_EQ(Balance(fleet, PlanOptions().balance_hundredths).weights(), (ScoreWeights{10, 1}));
    EXPECT_EQ(Balance(fleet, 25).weights(), (ScoreWeights{4, 1}));
    EXPECT_EQ(Balance(fleet, 0).weights(), (ScoreWeights{1, 0}));
    EXPECT_EQ(Balance(fleet, std::nullopt).weights(), (ScoreWeights{10, 1}));
}

TEST(Balance, AdaptsToHowFarApartGpusAre) {
    const Batch batch =
        Yard().gpus(2, 80).model("bge", 2).workflow("w").step("s", "bge", 10).requests(20).holds(0, "bge").batch();
    const Problem problem(batch);
    Fleet fleet(problem, false);
    Balance balance(fleet, std::nullopt);
    const auto take = [&](JobIndex job, std::uint32_t gpu) {
        fleet.take(*fleet.offer(job, {GpuId(gpu), 1}, kStart));
        balance.job_taken();
    };
    take(0, 0);
    EXPECT_EQ(balance.weights(), (ScoreWeights{10, 1}));  // looked at after as many jobs as there are GPUs
    take(1, 0);
    EXPECT_EQ(balance.weights(), (ScoreWeights{10, 3}));  // one does it all
    for (JobIndex job = 2; job < 20; ++job) take(job, job % 10 == 0 ? 0 : 1);
    EXPECT_GT(fleet.busy(GpuId(1)), fleet.busy(GpuId(0)));
    EXPECT_EQ(balance.weights(), (ScoreWeights{10, 3}));
}

}  // namespace
}  // namespace sy::plan
