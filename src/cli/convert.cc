// switchyard convert: a log in another format as a trace of ours.
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/trace_summary.h"
#include "cli/write_text.h"
#include "input/document.h"
#include "input/swf.h"
#include "input/trace_file.h"
#include "output/trace_csv.h"

namespace sy::cli {

namespace {

struct ConvertArguments {
    std::string in;
    std::string out;
    std::string from;
    bool json = false;
};

/// A trace, and what was lost or changed on the way, as words and figures.
struct Converted {
    Trace trace;
    std::vector<std::string> notes;
    nlohmann::ordered_json counts = nlohmann::ordered_json::object();
};

Result<std::string> format_of(const ConvertArguments& a) {
    if (!a.from.empty()) return a.from;
    if (a.in.ends_with(".swf")) return std::string("swf");
    if (a.in.ends_with(".csv")) return std::string("csv");
    if (a.in.ends_with(".gz") || a.in.ends_with(".xz") || a.in.ends_with(".bz2"))
        return fail(Fault::usage, fmt::format("{} is packed", a.in),
                    "unpack it first, for example: gunzip -c FILE | switchyard convert - OUT --from swf");
    return fail(Fault::usage, fmt::format("the name {} does not tell its format", a.in == "-" ? "'-'" : a.in),
                "say --from swf or --from csv");
}

Result<Converted> convert_swf(const std::string& text, const std::string& name) {
    auto log = input::read_swf(text, name);
    if (!log) return tl::unexpected(log.error());
    Converted converted;
    const std::vector<std::tuple<const char*, std::uint64_t, const char*>> notes{
        {"never_ran", log->never_ran, "left out: ended before they ran, or ran for an unknown time"},
        {"partial", log->partial, "left out: parts of jobs that have lines of their own"},
        {"without_size", log->without_size, "left out: number of processors unknown"},
        {"without_time", log->without_time, "left out: submit time unknown"},
        {"out_of_order", log->out_of_order, "put in order of their submit times"}};
    converted.counts["lines"] = log->lines;
    converted.counts["max_procs"] = log->max_procs;
    for (const auto& [key, count, words] : notes) {
        converted.counts[key] = count;
        if (count > 0) converted.notes.push_back(fmt::format("{} {} {}", count, count == 1 ? "job" : "jobs", words));
    }
    if (log->max_procs > 0)
        converted.notes.push_back(
            fmt::format("the machine had {} processors, which is --cluster 1x{}", log->max_procs, log->max_procs));
    converted.trace = std::move(log->trace);
    return converted;
}

Result<Converted> convert_csv(const std::string& text, const std::string& name) {
    auto file = input::read_trace_file(text, name);
    if (!file) return tl::unexpected(file.error());
    Converted converted;
    converted.trace = std::move(file->trace);
    converted.notes = std::move(file->warnings);
    return converted;
}

Exit run(const ConvertArguments& a) {
    const auto format = format_of(a);
    if (!format) return complain(format.error());
    const auto text = input::read_text(a.in);
    if (!text) return complain(text.error());
    const std::string name = input::name_of_file(a.in);
    auto converted = *format == "swf" ? convert_swf(*text, name) : convert_csv(*text, name);
    if (!converted) return complain(converted.error());
    if (a.json && a.out == "-")
        return complain(
            {Fault::usage, "both the trace and --json would go to standard output", "name a file for the trace"});
    if (const auto written = write_text(a.out, output::trace_csv(converted->trace)); !written)
        return complain(written.error());
    if (a.json) {
        nlohmann::ordered_json document = trace_summary_json(converted->trace);
        document.update(converted->counts);
        fmt::print("{}\n", document.dump(2));
        return Exit::done;
    }
    std::FILE* const talk = a.out == "-" ? stderr : stdout;
    fmt::print(talk, "converted {}\n{}", name, trace_summary(converted->trace));
    for (const std::string& note : converted->notes) fmt::print(talk, "  note       {}\n", note);
    return Exit::done;
}

}  // namespace

Command convert_command() {
    const auto a = std::make_shared<ConvertArguments>();
    return {.name = "convert",
            .summary = "Turn a log in the Standard Workload Format into a trace",
            .examples =
                "  switchyard convert machine.swf trace.csv\n"
                "  gunzip -c machine.swf.gz | switchyard convert - trace.csv --from swf",
            .options = {{"IN", "", "Log to read; - for stdin", &a->in, {}, true},
                        {"OUT", "", "Trace to write, as CSV; - for stdout", &a->out, {}, true},
                        {"--from", "FORMAT", "swf or csv (default: by the name of IN)", &a->from, {"swf", "csv"}},
                        {"--json", "", "Print what was converted as one JSON document", &a->json}},
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
