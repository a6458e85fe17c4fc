#include "input/swf.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/limits.h"
#include "input/decimal.h"
#include "input/interning.h"
#include "input/reading.h"

namespace sy::input {

namespace {

constexpr std::size_t kFields = 18;

/// Places of the fields we use; the format counts from 1.
enum Field : std::size_t {
    number = 0,
    submit = 1,
    run_time = 3,
    allocated = 4,
    requested = 7,
    requested_time = 8,
    status = 10,
    user = 11,
    executable = 13,
};

/// How a line's job ended. Values the format does not define count as unknown.
enum class Status : std::uint8_t {
    failed = 0,
    completed = 1,
    to_be_continued = 2,
    last_part = 3,
    last_failed = 4,
    cancelled = 5
};

bool is_between_fields(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

struct Line {
    std::string_view text;
    std::size_t number = 0;
    std::array<std::string_view, kFields> fields;
    std::size_t count = 0;  ///< Of all fields, those beyond the last kept included.

    void split() {
        for (std::size_t at = 0; at < text.size();) {
            while (at < text.size() && is_between_fields(text[at])) ++at;
            const std::size_t first = at;
            while (at < text.size() && !is_between_fields(text[at])) ++at;
            if (first == at) return;
            if (count < kFields) fields[count] = text.substr(first, at - first);
            ++count;
        }
    }
    Mark mark_of(std::size_t field) const {
        return {number, 1 + static_cast<std::size_t>(fields[field].data() - text.data())};
    }
};

/// A line that can be replayed.
struct Record {
    std::string_view number;
    std::size_t line = 0;
    Instant submit;
    Duration length{};
    Duration estimate{};
    std::optional<std::uint64_t> user;
    std::optional<std::uint64_t> executable;
    GpuCount gpus = 1;
};

class SwfReader {
public:
    SwfLog read(std::string_view text) {
        refuse_binary(text);
        Line line;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            line = {text.substr(at, end - at), line.number + 1, {}, 0};
            at = end + 1;
            const std::size_t first = line.text.find_first_not_of(" \t\r");
            if (first == std::string_view::npos) continue;
            if (line.text[first] == ';') {
                read_comment(line.text.substr(first + 1));
            } else {
                read_job(line);
            }
        }
        const Mark end{std::max<std::size_t>(line.number, 1), 1};
        if (log_.lines == 0) throw Refused{end, "the log has no jobs", "name a file in the Standard Workload Format"};
        if (records_.empty())
            throw Refused{end, fmt::format("none of the log's {} jobs can be replayed", log_.lines),
                          "name a log with submit times, run times and processors"};
        sort_by_submit();
        make_trace();
        return std::move(log_);
    }

private:
    static void refuse_binary(std::string_view text) {
        const std::size_t nul = text.find('\0');
        if (nul == std::string_view::npos) return;
        const std::string_view before = text.substr(0, nul);
        throw Refused{{1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')), 1},
                      "byte 0x00 does not belong in a text file",
                      "unpack the log first, for example with gunzip"};
    }

    /// "MaxProcs: 128" tells how large the machine was; other comments are for people.
    void read_comment(std::string_view comment) {
        constexpr std::string_view kKey = "MaxProcs:";
        const std::size_t at = comment.find(kKey);
        if (at == std::string_view::npos) return;
        comment.remove_prefix(at + kKey.size());
        while (!comment.empty() && is_between_fields(comment.front())) comment.remove_prefix(1);
        const std::size_t digits = std::min(comment.find_first_not_of("0123456789"), comment.size());
        log_.max_procs = parse_number<std::uint64_t>(comment.substr(0, digits)).value_or(0);
    }

    void read_job(Line& line) {
        line.split();
        if (line.count != kFields)
            throw Refused{{line.number, 1},
                          fmt::format("this line has {} fields, the format has {}", line.count, kFields),
                          line.text.find(',') == std::string_view::npos
                              ? "write -1 for what is unknown"
                              : "this looks like CSV, which needs no converting"};
        ++log_.lines;
        const auto ended = whole(line, status);
        const bool is_part = ended && *ended >= static_cast<std::uint64_t>(Status::to_be_continued) &&
                             *ended <= static_cast<std::uint64_t>(Status::last_failed);
        const bool was_stopped = ended && (*ended == static_cast<std::uint64_t>(Status::failed) ||
                                           *ended == static_cast<std::uint64_t>(Status::cancelled));
        const auto submitted = time(line, submit);
        const auto ran = time(line, run_time);
        const auto gpus = processors(line);
        if (is_part) return void(++log_.partial);
        if (!submitted) return void(++log_.without_time);
        if (!ran || (was_stopped && *ran == 0s)) return void(++log_.never_ran);
        if (!gpus) return void(++log_.without_size);
        if (*ran > kEnd - kStart - *submitted)
            throw Refused{line.mark_of(run_time), "the job would end past the end of time", "times are in seconds"};
        Record record;
        record.number = line.fields[number];
        record.line = line.number;
        record.submit = kStart + *submitted;
        record.length = *ran;
        record.estimate = time(line, requested_time).value_or(0s);
        record.user = whole(line, user);
        record.executable = whole(line, executable);
        record.gpus = *gpus;
        if (!records_.empty() && record.submit < latest_) ++log_.out_of_order;
        latest_ = std::max(latest_, record.submit);
        records_.push_back(record);
    }

    /// Nothing where the log says -1, or any other number below zero.
    static std::optional<Billionths> known(const Line& line, std::size_t field, const char* rule) {
        const auto value = parse_billionths(line.fields[field]);
        if (!value)
            throw Refused{
                line.mark_of(field),
                fmt::format("field {} is {}, it must be {}, or -1", field + 1, shown(line.fields[field]), rule),
                fmt::format("write {}, or -1 where it is unknown", rule)};
        return value->negative ? std::nullopt : value;
    }

    static std::optional<Duration> time(const Line& line, std::size_t field) {
        const auto value = known(line, field, "a number of seconds");
        if (!value) return std::nullopt;
        if (value->count > static_cast<std::uint64_t>((kEnd - kStart).count()))
            throw Refused{line.mark_of(field),
                          fmt::format("field {} is {}, the limit is {} s", field + 1, shown(line.fields[field]),
                                      seconds_text(kEnd - kStart)),
                          "times are in seconds"};
        return Duration(static_cast<std::int64_t>(value->count));
    }

    static std::optional<std::uint64_t> whole(const Line& line, std::size_t field) {
        const auto value = known(line, field, "a whole number");
        return value ? std::optional(value->count / kBillion) : std::nullopt;
    }

    static std::optional<GpuCount> processors(const Line& line) {
        for (const std::size_t field : {std::size_t{requested}, std::size_t{allocated}}) {
            const auto count = whole(line, field);
            if (!count || *count == 0) continue;
            if (*count > Limits{}.simulated_gpus)
                throw Refused{line.mark_of(field),
                              fmt::format("field {} asks for {} processors, the limit is {}", field + 1, *count,
                                          Limits{}.simulated_gpus),
                              "leave the job out"};
            return static_cast<GpuCount>(*count);
        }
        return std::nullopt;
    }

    /// Stably, so that equal instants keep the order of the log.
    void sort_by_submit() {
        std::stable_sort(records_.begin(), records_.end(),
                         [](const Record& a, const Record& b) { return a.submit < b.submit; });
    }

    void make_trace() {
        Trace& trace = log_.trace;
        Interning<std::string> ids(trace.ids);
        Interning<std::string> users(trace.users);
        Interning<std::string> names(trace.names);
        Interning<Demand> demands(trace.demands);
        for (const Record& record : records_) {
            trace.ids.emplace_back(record.number);
            if (const std::uint32_t first = ids.number_of_last(); first + 1 != trace.ids.size())
                refuse_twins(record, records_[first]);
            Job job;
            job.submit = record.submit;
            job.length = record.length;
            job.estimate = record.estimate;
            if (record.user) job.user = NameId(users.number_of(fmt::format("user-{}", *record.user)));
            if (record.executable) job.name = NameId(names.number_of(fmt::format("app-{}", *record.executable)));
            job.demand = DemandId(demands.number_of(Demand{.gpus = record.gpus}));
            trace.jobs.push_back(job);
        }
    }

    [[noreturn]] static void refuse_twins(const Record& a, const Record& b) {
        throw Refused{
            {std::max(a.line, b.line), 1},
            fmt::format("job {} stands here again, first in line {}", shown(a.number), std::min(a.line, b.line)),
            "give each job its own number"};
    }

    SwfLog log_;
    std::vector<Record> records_;
    Instant latest_ = kStart;
};

}  // namespace

Result<SwfLog> read_swf(std::string_view text, const std::string& file_name) {
    try {
        return SwfReader().read(text);
    } catch (const Refused& refused) {
        return invalid_at(file_name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
