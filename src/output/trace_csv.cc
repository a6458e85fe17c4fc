#include "output/trace_csv.h"

#include <algorithm>
#include <vector>

#include "core/model/describe.h"
#include "output/csv_field.h"

namespace sy::output {

namespace {

/// Bytes as gigabytes: billionths, as nanoseconds are of seconds.
std::string gigabytes_text(Bytes bytes) {
    return bytes == Bytes{} ? "" : seconds_text(Duration(static_cast<std::int64_t>(bytes.value())));
}

struct OptionalColumn {
    const char* name;
    std::string (*text)(const Trace&, const Job&);  ///< Empty where the job says nothing of it.
};

const std::vector<OptionalColumn>& optional_columns() {
    static const std::vector<OptionalColumn> kColumns{
        {"priority",
         [](const Trace&, const Job& j) { return j.level == Level::normal ? "" : std::string(name_of(j.level)); }},
        {"user", [](const Trace& t, const Job& j) { return csv_field(t.users[j.user.value()]); }},
        {"model", [](const Trace& t, const Job& j) { return csv_field(t.models[j.model.value()]); }},
        {"deadline_s",
         [](const Trace&, const Job& j) { return j.deadline == kNever ? "" : seconds_text(j.deadline - kStart); }},
        {"estimate_s", [](const Trace&, const Job& j) { return j.estimate == 0s ? "" : seconds_text(j.estimate); }},
        {"cpus",
         [](const Trace& t, const Job& j) {
             const std::uint32_t cpus = t.demand_of(j).cpus;
             return cpus == 0 ? "" : std::to_string(cpus);
         }},
        {"memory_gb", [](const Trace& t, const Job& j) { return gigabytes_text(t.demand_of(j).host_memory); }},
        {"kind", [](const Trace& t, const Job& j) { return csv_field(t.kinds[t.demand_of(j).kind.value()]); }},
        {"gpu_memory_gb", [](const Trace& t, const Job& j) { return gigabytes_text(t.demand_of(j).memory); }},
        {"network_gb_s", [](const Trace& t, const Job& j) { return gigabytes_text(t.demand_of(j).network); }},
        {"name", [](const Trace& t, const Job& j) { return csv_field(t.names[j.name.value()]); }},
        {"work", [](const Trace&, const Job& j) { return j.work == Work::batch ? "" : std::string(name_of(j.work)); }},
    };
    return kColumns;
}

}  // namespace

std::string trace_csv(const Trace& trace) {
    std::vector<OptionalColumn> columns;
    std::string out = "job_id,submit_s,duration_s,gpus";
    for (const OptionalColumn& column : optional_columns()) {
        const auto speaks = [&](const Job& job) { return !column.text(trace, job).empty(); };
        if (std::none_of(trace.jobs.begin(), trace.jobs.end(), speaks)) continue;
        columns.push_back(column);
        out += ',';
        out += column.name;
    }
    out += '\n';
    for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
        const Job& job = trace.jobs[i];
        out += csv_field(trace.ids[i]) + ',' + seconds_text(job.submit - kStart) + ',' + seconds_text(job.length) +
               ',' + std::to_string(trace.demand_of(job).gpus);
        for (const OptionalColumn& column : columns) out += ',' + column.text(trace, job);
        out += '\n';
    }
    return out;
}

}  // namespace sy::output
