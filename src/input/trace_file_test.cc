#include "input/trace_file.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace sy::input {
namespace {

TraceFile accepted(const std::string& text) {
    auto file = read_trace_file(text, "t");
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return file ? *file : TraceFile{};
}

std::string refusal(const std::string& text) {
    const auto trace = read_trace(text, "t");
    if (trace) return "accepted";
    EXPECT_EQ(trace.error().fault, Fault::invalid_input);
    return trace.error().message;
}

std::string fix_for(const std::string& text) {
    const auto trace = read_trace(text, "t");
    return trace ? "accepted" : trace.error().fix;
}

const std::string kHeader = "job_id,submit_s,duration_s,gpus\n";

/// One job with one more column, which holds `value`.
std::string with(const std::string& column, const std::string& value) {
    return "job_id,submit_s,duration_s,gpus," + column + "\na,100,10,2," + value + "\n";
}

Job job_with(const std::string& column, const std::string& value) {
    return accepted(with(column, value)).trace.jobs.at(0);
}

Demand demand_with(const std::string& column, const std::string& value) {
    return accepted(with(column, value)).trace.demands.at(0);
}

TEST(TraceFile, ReadsTheRequiredColumns) {
    const Trace trace = accepted(kHeader + "a,0,61,1\nb,0.1,0,2\n").trace;
    ASSERT_EQ(trace.jobs.size(), 2U);
    EXPECT_EQ(trace.ids, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(trace.jobs[1].submit, kStart + 100ms);
    EXPECT_EQ(trace.jobs[0].length, 61s);
    EXPECT_EQ(trace.jobs[1].length, 0s);
    EXPECT_EQ(trace.demand_of(trace.jobs[1]).gpus, 2U);
    EXPECT_EQ(trace.jobs[0].deadline, kNever);
    EXPECT_EQ(trace.jobs[0].level, Level::normal);
    EXPECT_EQ(trace.users, std::vector<std::string>{""});
}

TEST(TraceFile, ReadsEveryColumnInAnyOrder) {
    const TraceFile file = accepted(
        "work,name,network_gb_s,gpu_memory_gb,kind,memory_gb,cpus,estimate_s,deadline_s,model,user,priority,gpus,"
        "duration_s,submit_s,job_id\n"
        "stream,nightly,1.5,40,a100,0.5,16,90,200,llama,ann,HIGH,8,60,100,x\n");
    EXPECT_TRUE(file.warnings.empty());
    const Trace& t = file.trace;
    const Job& job = t.jobs.at(0);
    EXPECT_EQ(job.work, Work::stream);
    EXPECT_EQ(t.names[job.name.value()], "nightly");
    EXPECT_EQ(t.models[job.model.value()], "llama");
    EXPECT_EQ(t.users[job.user.value()], "ann");
    EXPECT_EQ(job.level, Level::high);
    EXPECT_EQ(job.estimate, 90s);
    EXPECT_EQ(job.deadline, kStart + 200s);
    EXPECT_EQ(t.kinds[t.demand_of(job).kind.value()], "a100");
    EXPECT_EQ(t.demand_of(job), (Demand{8, gigabytes(40), KindId(1), 16, Bytes(500'000'000), Bytes(1'500'000'000)}));
}

TEST(TraceFile, WhatRepeatsIsKeptOnce) {
    std::string text = "job_id,submit_s,duration_s,gpus,user,kind\n";
    for (int i = 0; i < 1000; ++i) text += fmt::format("{},0,1,{},u{},{}\n", i, 1 + i % 3, i % 7, i % 2 ? "a" : "");
    const Trace trace = accepted(text).trace;
    EXPECT_EQ(trace.users.size(), 8U);
    EXPECT_EQ(trace.demands.size(), 6U);
    for (std::size_t i = 0; i < 1000; ++i)
        EXPECT_EQ(trace.users[trace.jobs[i].user.value()], fmt::format("u{}", i % 7));
}

TEST(TraceFile, PrioritiesAreWordsOrNumbers) {
    EXPECT_EQ(job_with("priority", "critical").level, Level::critical);
    EXPECT_EQ(job_with("priority", "Low").level, Level::low);
    EXPECT_EQ(job_with("priority", "0").level, Level::critical);
    EXPECT_EQ(job_with("priority", " 3 ").level, Level::low);
    EXPECT_EQ(job_with("priority", "").level, Level::normal);
    EXPECT_EQ(refusal(with("priority", "4")),
              "t:2:12: priority is '4', it must be CRITICAL, HIGH, NORMAL or LOW, or their numbers 0, 1, 2, 3");
    EXPECT_NE(refusal(with("priority", "urgent")), "accepted");
}

TEST(TraceFile, EmptyOptionalCellsSayNothing) {
    for (const char* column : {"priority", "user", "model", "deadline_s", "estimate_s", "cpus", "memory_gb", "kind",
                               "gpu_memory_gb", "network_gb_s", "name", "work"})
        EXPECT_EQ(accepted(with(column, "")).trace, accepted(kHeader + "a,100,10,2\n").trace) << column;
}

TEST(TraceFile, TakesTheSpellingsThatProgramsWrite) {
    EXPECT_EQ(demand_with("cpus", "4.0").cpus, 4U);
    EXPECT_EQ(job_with("estimate_s", "1e3").estimate, 1000s);
    EXPECT_EQ(accepted("\xef\xbb\xbf\"job_id\", Submit_S ,duration_s,GPUS\r\n\"a,1\", 0 ,1 , 8\r\n\r\n").trace.ids,
              std::vector<std::string>{"a,1"});
    EXPECT_EQ(accepted(kHeader + "\"say \"\"x\"\"\",0,1,1\n").trace.ids.at(0), "say \"x\"");
    EXPECT_EQ(accepted(kHeader + "\xff\xfe,0,1,1\n").trace.ids.at(0), "\xff\xfe");
}

TEST(TraceFile, RefusesABrokenHeader) {
    EXPECT_EQ(refusal(""), "t:1:1: the file is empty");
    EXPECT_EQ(refusal("\n\n"), "t:1:1: the file is empty");
    EXPECT_EQ(refusal(kHeader), "t:1:1: the trace has a header and no jobs");
    EXPECT_EQ(refusal("job_id,submit_s,duration,gpu\n1,2,3,4\n"), "t:1:1: the header lacks duration_s, gpus");
    EXPECT_EQ(fix_for("job_id,submit_s,duration,gpu\n1,2,3,4\n"),
              "rename 'duration' to duration_s, rename 'gpu' to gpus");
    EXPECT_EQ(fix_for("job,submit,duration_s,gpus\n1,2,3,4\n"), "add job_id, rename 'submit' to submit_s");
    EXPECT_EQ(fix_for("job_id,submit_s,gpus\n1,2,3\n"), "add duration_s");
    EXPECT_EQ(fix_for("1,0,61,1\n"), "the first line must name the columns, as in job_id,submit_s,duration_s,gpus");
    EXPECT_EQ(fix_for("job_id;submit_s;duration_s;gpus\n1;0;61;1\n"),
              "separate the cells by commas, as in job_id,submit_s,duration_s,gpus");
    EXPECT_EQ(refusal("job_id,user,submit_s,duration_s,gpus,User\n"),
              "t:1:38: the column user stands here again, first in column 8 of the line");
}

TEST(TraceFile, UnknownColumnsAreIgnoredAloud) {
    const TraceFile file = accepted("job_id,submit_s,colour,duration_s,gpus,prioritty\n1,2,blue,3,4,x\n");
    EXPECT_EQ(file.warnings,
              (std::vector<std::string>{"t:1:17: unknown column 'colour' is ignored",
                                        "t:1:40: unknown column 'prioritty' is ignored; did you mean priority?"}));
    EXPECT_EQ(file.trace.jobs.at(0).length, 3s);
}

TEST(TraceFile, ManyUnknownColumnsAreCounted) {
    std::string header = "job_id,submit_s,duration_s,gpus", row = "1,2,3,4";
    for (int i = 0; i < 500; ++i) header += fmt::format(",extra{}", i), row += ",";
    const TraceFile file = accepted(header + "\n" + row + "\n");
    ASSERT_EQ(file.warnings.size(), 9U);
    EXPECT_EQ(file.warnings.back(), "t: 492 more unknown columns are ignored");
}

TEST(TraceFile, RefusesRowsOfTheWrongWidth) {
    EXPECT_EQ(refusal(kHeader + "a,0,1\n"), "t:2:1: this row has 3 cells, the header has 4");
    EXPECT_EQ(refusal(kHeader + "a,0,1,1,\n"), "t:2:1: this row has 5 cells, the header has 4");
    EXPECT_EQ(refusal(kHeader + "a,0,1,1\n \n"), "t:3:1: this row has 1 cells, the header has 4");
    EXPECT_EQ(refusal(kHeader + std::string(999'999, ',')), "t:2:1: this row has 1000000 cells, the header has 4");
    EXPECT_EQ(refusal(std::string(999'999, ',')), "t:1:1: the header has 1000000 columns, the limit is 1000");
}

TEST(TraceFile, RefusesWrongTimes) {
    const std::string rule = "it must be a number of seconds from 0 to 6307200000";
    EXPECT_EQ(refusal(kHeader + "a,-1,1,1\n"), "t:2:3: submit_s is '-1', " + rule);
    EXPECT_EQ(refusal(kHeader + "a,0,soon,1\n"), "t:2:5: duration_s is 'soon', " + rule);
    EXPECT_EQ(refusal(kHeader + "a,nan,1,1\n"), "t:2:3: submit_s is 'nan', " + rule);
    EXPECT_EQ(refusal(kHeader + "a,0,inf,1\n"), "t:2:5: duration_s is 'inf', " + rule);
    EXPECT_EQ(refusal(kHeader + "a,,1,1\n"), "t:2:3: submit_s is empty, every job needs one");
    EXPECT_EQ(refusal(with("deadline_s", "-5")), "t:2:12: deadline_s is '-5', " + rule);
    EXPECT_EQ(refusal(with("estimate_s", "1h")), "t:2:12: estimate_s is '1h', " + rule);
    EXPECT_EQ(accepted(kHeader + "a,6307200000,0,1\n").trace.jobs.at(0).submit, kEnd);
    EXPECT_EQ(refusal(kHeader + "a,6307200000.000000001,0,1\n"), "t:2:3: submit_s is '6307200000.000000001', " + rule);
    EXPECT_EQ(refusal(kHeader + "a,6307199999,2,1\n"),
              "t:2:14: duration_s is '2', the job would end past 6307200000 s, the end of time");
}

TEST(TraceFile, RefusesWrongCounts) {
    const std::string rule = "it must be a whole number from 1 to 1048576";
    for (const char* gpus : {"0", "1.5", "-1", "many", "1048577", "99999999999999999999", "1e-9"})
        EXPECT_EQ(refusal(kHeader + "a,0,1," + gpus + "\n"), fmt::format("t:2:7: gpus is '{}', {}", gpus, rule));
    EXPECT_EQ(accepted(kHeader + "a,0,1,1048576\n").trace.demands.at(0).gpus, 1'048'576U);
    EXPECT_NE(refusal(with("cpus", "0.5")), "accepted");
    EXPECT_NE(refusal(with("cpus", "1000000001")), "accepted");
    EXPECT_EQ(demand_with("memory_gb", "1000000").host_memory, gigabytes(1'000'000));
    EXPECT_EQ(refusal(with("memory_gb", "1000001")),
              "t:2:12: memory_gb is '1000001', it must be a number from 0 to 1000000");
    EXPECT_NE(refusal(with("gpu_memory_gb", "80GB")), "accepted");
    EXPECT_NE(refusal(with("network_gb_s", "-1")), "accepted");
    EXPECT_EQ(refusal(with("work", "offline")), "t:2:12: work is 'offline', it must be batch, online or stream");
}

TEST(TraceFile, RowsStandBySubmit) {
    EXPECT_EQ(refusal(kHeader + "a,5,1,1\n\nb,7,1,1\n\nc,6.5,1,1\n"),
              "t:6:3: submit_s is '6.5', before the 7 of line 4: rows must stand by submit_s");
    EXPECT_EQ(fix_for(kHeader + "a,5,1,1\nb,4,1,1\n"), "sort by submit_s");
    EXPECT_EQ(accepted(kHeader + "b,5,1,1\na,5,1,1\n").trace.ids.at(0), "b");
}

TEST(TraceFile, IdsAreUnique) {
    EXPECT_EQ(refusal(kHeader + "1,0,1,1\n2,0,1,1\n2,0,1,1\n"), "t:4:1: job_id '2' stands here again, first in line 3");
    EXPECT_EQ(refusal(kHeader + "\"a\nb\",0,1,1\nb,0,1,1\n\na,0,1,1\nb,0,1,1\n"),
              "t:7:1: job_id 'b' stands here again, first in line 4");
    EXPECT_EQ(refusal(kHeader + ",0,1,1\n"), "t:2:1: job_id is empty, every job needs one");
    EXPECT_NE(refusal(kHeader + "\"\",0,1,1\n"), "accepted");
}

TEST(TraceFile, FindsTheSameTwinsAsASetDoes) {
    const std::uint64_t seed = 3;
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
        std::string text = kHeader;
        std::set<std::string> seen;
        bool repeats = false;
        std::uint64_t number = random.below(20);
        const double disorder = random.chance(0.5) ? 0 : 0.02;
        for (int row = 0; row < 60; ++row) {
            number = random.chance(disorder) ? random.below(200) : number + random.below(40) / 39 + 1;
            if (random.chance(0.003)) --number;
            const std::string id = (round % 2 ? "job" : "") + std::to_string(number);
            repeats = repeats || !seen.insert(id).second;
            text += id + ",0,1,1\n";
        }
        EXPECT_EQ(refusal(text) == "accepted", !repeats) << "seed " << seed << ", round " << round;
    }
}

TEST(TraceFile, WarnsOfDeadlinesThatLookLikeSpans) {
    const TraceFile file = accepted(with("deadline_s", "20"));
    ASSERT_EQ(file.warnings.size(), 1U);
    EXPECT_EQ(file.warnings.at(0),
              "t: 1 of 1 jobs have a deadline_s before their submit_s; it is a time like submit_s, not a span");
}

TEST(TraceFile, BrokenTablesKeepTheirPlace) {
    EXPECT_EQ(refusal(kHeader + "a,0,1,\"1\n"), "t:2:7: a quote is opened here and never closed");
    EXPECT_EQ(refusal(kHeader + "\"a\"b,0,1,1\n"), "t:2:4: text follows the closing quote of a cell");
    EXPECT_EQ(refusal(kHeader + std::string("a\0,0,1,1\n", 9)), "t:2:2: byte 0x00 does not belong in a text file");
}

TEST(TraceFile, LongValuesAreCutInErrors) {
    EXPECT_LT(refusal(kHeader + "a,0,1," + std::string(1'000'000, '9') + "\n").size(), 150U);
    EXPECT_LT(refusal(std::string(1'000'000, 'x') + "\n").size(), 150U);
}

}  // namespace
}  // namespace sy::input
