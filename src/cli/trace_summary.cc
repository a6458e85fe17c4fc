#include "cli/trace_summary.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"

namespace sy::cli {

namespace {

/// More gang sizes than this are not listed one by one.
constexpr std::size_t kMostSizes = 8;

struct Figures {
    Duration span{};
    double mean_s = 0;
    Duration median{};
    Duration longest{};
    double gpu_hours = 0;
    std::map<GpuCount, std::size_t> sizes;
    std::array<std::size_t, 3> work{};  ///< By Work.
    std::size_t deadlines = 0;
    std::size_t estimates = 0;
};

Figures figures_of(const Trace& trace) {
    Figures f;
    if (trace.jobs.empty()) return f;
    f.span = trace.jobs.back().submit - trace.jobs.front().submit;
    std::vector<Duration> lengths;
    for (const Job& job : trace.jobs) {
        lengths.push_back(job.length);
        f.mean_s += to_seconds(job.length);
        f.gpu_hours += to_seconds(job.length) * trace.demand_of(job).gpus / 3600;
        ++f.sizes[trace.demand_of(job).gpus];
        ++f.work.at(static_cast<std::size_t>(job.work));
        if (job.deadline != kNever) ++f.deadlines;
        if (job.estimate > 0s) ++f.estimates;
    }
    f.mean_s /= static_cast<double>(trace.jobs.size());
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    f.median = *middle;
    f.longest = *std::max_element(lengths.begin(), lengths.end());
    return f;
}

std::string sizes_text(const Figures& f) {
    if (f.sizes.size() > kMostSizes)
        return fmt::format("from {} to {} GPUs, {} sizes", f.sizes.begin()->first, f.sizes.rbegin()->first,
                           f.sizes.size());
    std::string text;
    for (const auto& [gpus, jobs] : f.sizes)
        fmt::format_to(std::back_inserter(text), "{}{} of {}", text.empty() ? "" : ", ", jobs, gpus);
    return text + " GPUs";
}

}  // namespace

std::string trace_summary(const Trace& trace) {
    const Figures f = figures_of(trace);
    std::string out;
    const auto row = [&out](const char* what, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "  {:<10} {}\n", what, text);
    };
    const auto rounded = [](Duration d) { return describe(d < 1min ? d : d - d % 1s); };
    row("jobs", fmt::format("{} within {}", trace.jobs.size(), rounded(f.span)));
    row("lengths",
        fmt::format("mean {:.1f} s, median {}, longest {}", f.mean_s, rounded(f.median), rounded(f.longest)));
    row("sizes", sizes_text(f));
    row("work",
        fmt::format("{:.1f} GPU-hours; {} batch, {} online, {} stream", f.gpu_hours, f.work[0], f.work[1], f.work[2]));
    row("said", fmt::format("{} users, {} models, {} names, {} estimates, {} deadlines", trace.users.size() - 1,
                            trace.models.size() - 1, trace.names.size() - 1, f.estimates, f.deadlines));
    return out;
}

nlohmann::ordered_json trace_summary_json(const Trace& trace) {
    const Figures f = figures_of(trace);
    nlohmann::ordered_json sizes = nlohmann::ordered_json::object();
    for (const auto& [gpus, jobs] : f.sizes) sizes[std::to_string(gpus)] = jobs;
    return {{"jobs", trace.jobs.size()},
            {"span_s", to_seconds(f.span)},
            {"mean_s", f.mean_s},
            {"median_s", to_seconds(f.median)},
            {"longest_s", to_seconds(f.longest)},
            {"gpu_hours", f.gpu_hours},
            {"gpus", sizes},
            {"work", {{"batch", f.work[0]}, {"online", f.work[1]}, {"stream", f.work[2]}}},
            {"users", trace.users.size() - 1},
            {"models", trace.models.size() - 1},
            {"names", trace.names.size() - 1},
            {"estimates", f.estimates},
            {"deadlines", f.deadlines}};
}

}  // namespace sy::cli
