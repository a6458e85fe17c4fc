// Strict order over drawn histories (R14): no task starts while one of a higher level, or an earlier one of its own,
// waits that could have had the place. And none starts where its estimate and what strangers use exceed a GPU (R19).
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/control/core.h"

namespace sy::control {
namespace {

constexpr std::uint64_t kHistories = 3'000;

TaskSpec draw_ordered_task(Random& random) {
    TaskSpec spec;
    spec.level = static_cast<Level>(random.below(4));
    spec.demand.gpus = static_cast<GpuCount>(random.chance(0.7) ? 1 : random.between(2, 4));
    spec.demand.memory = gigabytes(random.below(5) * 20);
    spec.estimate = std::chrono::seconds(random.between(1, 100));
    spec.retries = static_cast<std::uint32_t>(random.below(3));
    return spec;
}

/// A cluster from its first node on, and what is seen of it from outside.
class History {
public:
    History(std::uint64_t seed, const char* fit, const char* place)
        : random_(seed), fit_(fit), core_([&] {
              Settings settings;
              settings.policy = {"priority", fit, place};
              settings.ahead = Duration::zero();
              return settings;
          }()) {
        for (std::int64_t nodes = random_.between(1, 2); nodes > 0; --nodes)
            step(AddNode{std::vector(static_cast<std::size_t>(random_.between(2, 5)), GpuSpec{gigabytes(80)}), {}});
        for (GpuId gpu; core_.ledger().knows(gpu); gpu = gpu.next()) step(Hello{gpu, {1, ++hellos_}});
    }

    void go_on() {
        const GpuId gpu(static_cast<std::uint32_t>(random_.below(core_.ledger().gpu_count())));
        switch (random_.below(10)) {
            case 0: return step(ObserveGpu{gpu, random_.chance(0.2), gigabytes(random_.below(4) * 20)});
            case 1: return step(ObserveGpu{gpu, false, Bytes{}});
            case 2: return random_.chance(0.3) ? step(WorkerGone{gpu}) : step(Hello{gpu, {1, ++hellos_}});
            case 3: return step(PauseQueue{random_.chance(0.3)});
            case 4:
            case 5:
            case 6: return report_on(gpu);
            default: return step(SubmitTask{RequestId(1), draw_ordered_task(random_), {}, {}});
        }
    }

    std::string complaint;
    std::size_t starts = 0;
    std::size_t passed_by = 0;  ///< Starts while somebody before them waited.

private:
    void report_on(GpuId gpu) {
        const auto holder = core_.ledger().holder(gpu);
        if (!holder) return;
        const Task& task = *core_.find(*holder);
        const Outcome outcome = random_.chance(0.2) ? Outcome::failed : Outcome::succeeded;
        step(Report{task.span.lead(), *holder, task.attempts, task.fence, outcome});
    }

    void step(const Event& event) {
        now_ += std::chrono::seconds(random_.below(5));
        if (const auto* seen = std::get_if<ObserveGpu>(&event)) strangers_[seen->gpu] = seen->foreign;
        const auto effects = core_.step(event, now_);
        for (const Effect& effect : std::vector(effects.begin(), effects.end()))
            if (const auto* start = std::get_if<StartAttempt>(&effect)) look_at(*start);
    }

    void look_at(const StartAttempt& start) {
        if (!fences_.insert(start.fence).second) return;  // said again
        ++starts;
        const TaskSpec& spec = core_.find(start.task)->spec;
        for (GpuId gpu = start.span.first; gpu < start.span.end(); gpu = gpu.next())
            if (spec.demand.memory.value() + strangers_[gpu].value() > gigabytes(80).value())
                complaint = "a GPU has too little memory for what was started there";
        core_.for_each_task([&](TaskId id, const Task& task) {
            const bool comes_first = std::pair(task.spec.level, id) < std::pair(spec.level, start.task);
            if (task.state != TaskState::waiting || !comes_first) return;
            ++passed_by;
            const bool is_first = core_.scheduler().first_in_line() == id;
            // Behind one that waits for a place, what fits may have to wait as well, so that it is not put off.
            const bool may_be_held_up = (fit_ == "easy" || fit_ == "conservative") && !is_first;
            if (fit_ == "strict")
                complaint = "somebody passed another";
            else if (!may_be_held_up && would_fit(task.spec.demand, start.span))
                complaint = "a task of lower rank was given what one of higher rank waits for";
        });
    }

    /// On what is free now, or was until that start.
    bool would_fit(const Demand& demand, const GpuSpan& taken) const {
        const cluster::Ledger& ledger = core_.ledger();
        for (const GpuSpan& node : ledger.nodes())
            for (std::uint32_t at = 0; at + demand.gpus <= node.count; ++at) {
                const GpuSpan span{GpuId(node.first.value() + at), demand.gpus};
                bool fits = true;
                for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
                    fits = fits && (ledger.is_free(gpu) || taken.contains(gpu)) && ledger.room(gpu) >= demand.memory;
                if (fits) return true;
            }
        return false;
    }

    Random random_;
    std::string fit_;
    Core core_;
    Instant now_ = kStart;
    std::uint64_t hellos_ = 0;
    std::set<Fence> fences_;
    std::map<GpuId, Bytes> strangers_;  ///< What they use.
};

TEST(StrictOrder, NobodyIsGivenWhatOneBeforeThemWaitsFor) {
    std::map<std::string, std::size_t> starts;
    std::map<std::string, std::size_t> passed_by;
    for (std::uint64_t seed = 1; seed <= kHistories; ++seed)
        for (const char* fit : {"strict", "skip", "easy", "conservative"}) {
            History history(seed, fit, seed % 2 == 0 ? "scored" : "first-fit");
            for (int i = 0; i < 60 && history.complaint.empty(); ++i) history.go_on();
            ASSERT_EQ(history.complaint, "") << fit << ", seed " << seed;
            starts[fit] += history.starts;
            passed_by[fit] += history.passed_by;
        }
    for (const auto& [fit, count] : starts) EXPECT_GT(count, 10'000U) << fit;
    EXPECT_GT(passed_by["skip"], 1'000U) << "or nothing was shown";
}

}  // namespace
}  // namespace sy::control
