// A trace written as CSV and read again is the same trace, whatever it holds.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/random.h"
#include "input/interning.h"
#include "input/trace_file.h"
#include "output/trace_csv.h"

namespace sy {
namespace {

/// Any trace a file could hold, with its tables in the order of first use.
class AnyTrace {
public:
    explicit AnyTrace(std::uint64_t seed) : random_(seed) {}

    Trace draw() {
        Trace trace;
        input::Interning<std::string> users(trace.users), models(trace.models), names(trace.names), kinds(trace.kinds);
        input::Interning<Demand> demands(trace.demands);
        Instant now = kStart;
        const std::uint64_t jobs = 1 + random_.below(30);
        const bool rich = random_.chance(0.8);
        for (std::uint64_t i = 0; i < jobs; ++i) {
            now += random_.chance(0.3) ? 0s : random_.between(0s, 24h);
            Job job{.submit = now, .length = time()};
            Demand demand{.gpus = static_cast<GpuCount>(1 + random_.below(9))};
            if (rich) {
                job.estimate = time();
                if (random_.chance(0.5)) job.deadline = kStart + time();
                job.user = NameId(users.number_of(word()));
                job.model = NameId(models.number_of(word()));
                job.name = NameId(names.number_of(word()));
                job.level = static_cast<Level>(random_.below(4));
                job.work = static_cast<Work>(random_.below(3));
                demand = {
                    demand.gpus, bytes(), KindId(kinds.number_of(word())), static_cast<std::uint32_t>(random_.below(3)),
                    bytes(),     bytes()};
            }
            job.demand = DemandId(demands.number_of(demand));
            trace.jobs.push_back(job);
            trace.ids.push_back(word() + "#" + std::to_string(i));
        }
        return trace;
    }

private:
    Duration time() { return random_.chance(0.2) ? Duration(0) : random_.between(0s, 24h * 365); }
    Bytes bytes() { return random_.chance(0.5) ? Bytes() : Bytes(random_.below(1'000'000'000'000'001)); }
    std::string word() {
        constexpr std::string_view kLetters = "ab \t,\"\n\r;\xc3\xa4\xff";
        std::string text;
        for (std::uint64_t left = random_.below(5); left > 0; --left) text += kLetters[random_.below(kLetters.size())];
        return text;
    }

    Random random_;
};

TEST(TraceCsv, ComesBackAsItWas) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const Trace trace = AnyTrace(seed).draw();
        const std::string text = output::trace_csv(trace);
        const auto again = input::read_trace(text, "again");
        ASSERT_TRUE(again.has_value()) << "seed " << seed << ": " << again.error().message << "\n" << text;
        EXPECT_EQ(*again, trace) << "seed " << seed << "\n" << text;
    }
}

}  // namespace
}  // namespace sy
