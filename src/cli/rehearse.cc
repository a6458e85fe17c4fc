#include "cli/rehearse.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/plan_progress.h"
#include "cli/write_text.h"
#include "core/plan/planner.h"
#include "input/batch_file.h"
#include "output/charts.h"
#include "sim/rehearsal.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

Plan plan_in(const plan::Problem& problem, double seconds) {
    plan::PlanOptions options;
    const Duration until = real_time() + Duration(static_cast<std::int64_t>(seconds * 1e9));
    options.passes = plan::kAsLongAsItTakes;
    options.keep_going = [until] { return real_time() < until; };
    return plan::make_plan(problem, plan::kAuto, options);
}

/// As if one had known: how long every job would take.
double perfect_makespan(const Batch& batch, const sim::Conditions& conditions, double seconds) {
    const Batch known = sim::with_real_times(batch, conditions);
    const plan::Problem problem(known);
    return to_seconds(plan_in(problem, seconds).makespan());
}

}  // namespace

Exit rehearse(const RehearseArguments& a, const input::Document& document, double plan_seconds, const std::string& html,
              bool json) {
    if (!(a.noise >= 0 && a.noise <= 3) || !(a.failures >= 0 && a.failures < 1))
        return complain({Fault::usage, "--noise must be from 0 to 3 and --failures from 0 to less than 1", ""});
    const auto batch = input::read_batch(document);
    if (!batch) return complain(batch.error());
    const plan::Problem problem(*batch);
    const Plan planned = plan_in(problem, plan_seconds);
    const sim::Conditions conditions{.noise = a.noise, .failures = a.failures, .seed = a.seed};
    const sim::Rehearsal course = sim::rehearse(problem, planned.jobs, {}, conditions);
    const double perfect = perfect_makespan(*batch, conditions, plan_seconds);
    const double executed = to_seconds(course.makespan);
    Plan actual;
    actual.jobs = course.jobs;
    if (!html.empty()) {
        if (const auto written = write_text(html, output::run_html(*batch, planned, actual)); !written)
            return complain(written.error());
        fmt::print(stderr, "written: {}\n", html);
    }
    const Exit exit = course.progress.failed + course.progress.skipped > 0 ? Exit::tasks_failed : Exit::done;
    if (json) {
        const Json report{{"simulated", true},
                          {"jobs", problem.jobs().size()},
                          {"planned_s", to_seconds(planned.makespan())},
                          {"executed_s", executed},
                          {"perfect_s", perfect},
                          {"over_perfect", perfect > 0 ? executed / perfect - 1 : 0},
                          {"done", course.progress.done},
                          {"failed", course.progress.failed},
                          {"skipped", course.progress.skipped},
                          {"failed_attempts", course.failures},
                          {"switches", course.progress.switches},
                          {"steals", course.progress.steals},
                          {"replans", course.progress.replans}};
        fmt::print("{}\n", report.dump(2));
        return exit;
    }
    fmt::print("simulated  {} steps, noise {:g}, {:g} % of attempts fail\n", problem.jobs().size(), a.noise,
               100 * a.failures);
    fmt::print("executed   {:.1f} s, planned {:.1f} s ({:+.1f} %)\n", executed, to_seconds(planned.makespan()),
               100 * (executed / std::max(to_seconds(planned.makespan()), 1e-9) - 1));
    fmt::print("knowing    {:.1f} s is the plan of somebody who knew all times ({:+.1f} %)\n", perfect,
               100 * (executed / std::max(perfect, 1e-9) - 1));
    fmt::print("on the way {} switches, {} steps went to another GPU than planned, {} plans anew, {} failed attempts\n",
               course.progress.switches, course.progress.steals, course.progress.replans, course.failures);
    return exit;
}

}  // namespace sy::cli
