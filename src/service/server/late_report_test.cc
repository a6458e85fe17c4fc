// Two attempts of a task race with their reports, a thousand times: only the current one counts (R4).
#include <cstddef>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "service/server/engine_yard.h"

namespace sy::server {
namespace {

/// Two workers, of which one is lost while it runs the task.
class Race {
public:
    Race(Yard& yard, std::uint64_t seed) : yard_(yard), random_(seed), hello_(100 * seed) {}

    void run() {
        const std::uint64_t ends_before = yard_.ended.size();
        const std::uint64_t late_before = yard_.engine->core().tally().late_reports;
        for (const std::uint32_t gpu : {0U, 1U}) yard_.engine->hear(Hello{GpuId(gpu), {7, hello_}});
        yard_.turn();
        Submission wanted;
        wanted.work.argv = {"true"};
        wanted.spec.retries = 9;
        yard_.engine->submit(wanted, [](const Result<Placed>&) {});
        yard_.turn();
        const StartAttempt first = yard_.last<wire::Assignment>().start;
        yard_.engine->worker_gone(first.span.lead());
        yard_.turn();
        current_ = yard_.last<wire::Assignment>().start;
        ASSERT_NE(current_.fence, first.fence);
        std::vector<StartAttempt> on_the_way;  // a report each; the current attempt's is among them for sure
        for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) on_the_way.push_back(first);
        for (std::uint64_t i = 1 + random_.below(3); i > 0; --i) on_the_way.push_back(current_);
        const bool succeeds = random_.chance(0.5);
        while (!on_the_way.empty()) {
            const auto next = on_the_way.begin() + static_cast<std::ptrdiff_t>(random_.below(on_the_way.size()));
            report(*next, next->fence == first.fence ? random_.chance(0.5) : succeeds);
            on_the_way.erase(next);
            if (random_.chance(0.5)) yard_.turn();
            if (counted_.empty() && random_.chance(0.2)) yard_.engine->hear(Hello{first.span.lead(), {8, ++hello_}});
        }
        yard_.engine->tick();
        yard_.turn();
        while (yard_.engine->core().find(current_.task) != nullptr) {  // it failed, and runs once more
            current_ = yard_.last<wire::Assignment>().start;
            report(current_, true);
            yard_.turn();
        }
        const auto record = *yard_.engine->record(first.task);
        EXPECT_EQ(record->state, State::succeeded);
        EXPECT_EQ(record->attempts.size(), succeeds ? 2U : 3U);
        EXPECT_EQ(record->attempts.back().details.output, fmt::format("{}", record->attempts.back().fence.value()));
        EXPECT_EQ(yard_.ended.size() - ends_before, 1U) << "it ended once";
        EXPECT_EQ(yard_.engine->core().tally().late_reports - late_before, late_) << "and who came late was counted";
    }

private:
    /// What counts is known here too: the first report of the newest attempt, and no other.
    void report(const StartAttempt& of, bool success) {
        const bool counts = of.fence == current_.fence && !counted_.contains(of.fence.value());
        if (counts) counted_.insert(of.fence.value());
        late_ += counts ? 0 : 1;
        yard_.engine->hear(wire::DetailedReport{
            {of.span.lead(), of.task, of.attempt, of.fence, success ? Outcome::succeeded : Outcome::failed},
            {.output = fmt::format("{}", of.fence.value())}});
    }

    Yard& yard_;
    Random random_;
    std::uint64_t hello_;
    StartAttempt current_;
    std::set<std::uint64_t> counted_;
    std::uint64_t late_ = 0;
};

TEST(LateReport, InAThousandRacesOnlyTheCurrentAttemptCounts) {
    Yard yard(2, std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp");  // some ten thousand commits
    for (std::uint64_t seed = 1; seed <= 1'000 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        Race(yard, seed).run();
    }
}

}  // namespace
}  // namespace sy::server
