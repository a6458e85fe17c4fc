// Problem: traces have millions of rows, and are tried again and again; reading one must not take longer than using it.
// Choice: one pass over the text, by hand. Cells are views; numbers are read to whole nanoseconds and bytes without
// binary fractions; texts and demands that repeat are kept once. Ids must be unique, which would cost a hash table as
// large as the trace; but ids nearly always ascend (by length, then by letters), and ascending ids cannot repeat. So
// the table is begun only when an id does not ascend. Lines and columns are counted when an error needs them.
// Cost: linear. docs/traces.md has figures.
#include "input/trace_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "core/model/limits.h"
#include "input/amounts.h"
#include "input/csv.h"
#include "input/decimal.h"
#include "input/interning.h"
#include "input/reading.h"
#include "input/trace_columns.h"

namespace sy::input {

namespace {

constexpr std::uint64_t kMostCpus = 1'000'000'000;
constexpr Duration kLongest = kEnd - kStart;

bool same_word(std::string_view text, std::string_view lower_case) {
    if (text.size() != lower_case.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower_case[i]) return false;
    }
    return true;
}

/// Finds ids that repeat. It watches a vector that its owner fills.
class Uniqueness {
public:
    explicit Uniqueness(std::vector<std::string>& ids) : ids_(ids) {}

    /// Of the id just added: the number of an earlier equal one.
    std::optional<std::uint32_t> twin_of_last() {
        const auto last = static_cast<std::uint32_t>(ids_.size() - 1);
        if (!table_) {
            if (last == 0 || ascends(ids_[last - 1], ids_[last])) return std::nullopt;
            std::string id = std::move(ids_.back());
            ids_.pop_back();
            table_.emplace(ids_, ids_.capacity());
            ids_.push_back(std::move(id));
        }
        const std::uint32_t first = table_->number_of_last();
        return first == last ? std::nullopt : std::optional(first);
    }

private:
    static bool ascends(const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }

    std::vector<std::string>& ids_;
    std::optional<Interning<std::string>> table_;
};

class TraceReader {
public:
    TraceReader(std::string_view text, const std::string& file_name)
        : text_(text), file_name_(file_name), csv_(text), header_(read_header(csv_, file_name)) {
        const std::size_t rows = most_rows();
        trace_.jobs.reserve(rows);
        trace_.ids.reserve(rows);
    }

    TraceFile read() {
        const Mark begins = csv_.mark(csv_.row_at());
        while (csv_.next()) read_row();
        if (trace_.jobs.empty())
            throw Refused{begins, "the trace has a header and no jobs", "add a row for each job below it"};
        if (late_ > 0)
            header_.warnings.push_back(fmt::format(
                "{}: {} of {} jobs have a deadline_s before their submit_s; it is a time like submit_s, not a span",
                file_name_, late_, trace_.jobs.size()));
        return {std::move(trace_), std::move(header_.warnings)};
    }

private:
    /// At least as many as there are, and seldom more: growing by doubling would hold the trace one and a half times.
    std::size_t most_rows() const {
        constexpr std::size_t kShortestRow = std::string_view("1,0,0,1\n").size();
        std::size_t lines = 1;
        for (std::size_t at = text_.find('\n'); at != std::string_view::npos; at = text_.find('\n', at + 1)) ++lines;
        return std::min(lines, 1 + text_.size() / kShortestRow);
    }

    void read_row() {
        if (csv_.count() != header_.columns.size())
            throw Refused{csv_.mark(csv_.row_at()),
                          fmt::format("this row has {} cells, the header has {}", csv_.count(), header_.columns.size()),
                          "write one cell for each column; put a cell that holds a comma in quotes"};
        job_ = Job{};
        demand_ = Demand{};
        for (std::size_t i = 0; i < header_.columns.size(); ++i)
            if (header_.columns[i] != Column::ignored) read_cell(header_.columns[i], csv_.cells()[i]);
        job_.demand = DemandId(demands_.number_of(demand_));
        check_row();
        trace_.jobs.push_back(job_);
        row_before_ = csv_.row_at();
    }

    void read_cell(Column column, const Cell& cell) {
        if (cell.raw.empty()) {
            if (static_cast<std::size_t>(column) >= kRequiredColumns) return;
            throw Refused{csv_.mark(cell.at), fmt::format("{} is empty, every job needs one", name_of(column)),
                          fmt::format("fill in {}", name_of(column))};
        }
        switch (column) {
            case Column::job_id: return read_id(cell);
            case Column::submit_s: submit_ = cell, job_.submit = kStart + time(column, cell); return;
            case Column::duration_s: duration_ = cell, job_.length = time(column, cell); return;
            case Column::gpus: demand_.gpus = whole(column, cell, 1, Limits{}.simulated_gpus); return;
            case Column::priority: job_.level = level(cell); return;
            case Column::user: job_.user = NameId(number(users_, cell)); return;
            case Column::model: job_.model = NameId(number(models_, cell)); return;
            case Column::deadline_s: job_.deadline = kStart + time(column, cell); return;
            case Column::estimate_s: job_.estimate = time(column, cell); return;
            case Column::cpus: demand_.cpus = whole(column, cell, 0, kMostCpus); return;
            case Column::memory_gb: demand_.host_memory = bytes(column, cell); return;
            case Column::kind: demand_.kind = KindId(number(kinds_, cell)); return;
            case Column::gpu_memory_gb: demand_.memory = bytes(column, cell); return;
            case Column::network_gb_s: demand_.network = bytes(column, cell); return;
            case Column::name: job_.name = NameId(number(names_, cell)); return;
            case Column::work: job_.work = work(cell); return;
            case Column::ignored: return;
        }
    }

    void read_id(const Cell& cell) {
        if (cell.doubled) {
            trace_.ids.push_back(cell.text());
        } else {
            trace_.ids.emplace_back(cell.raw);
        }
        const auto twin = uniqueness_.twin_of_last();
        if (!twin) return;
        throw Refused{
            csv_.mark(cell.at),
            fmt::format("job_id {} stands here again, first in line {}", shown(trace_.ids.back()), line_of_job(*twin)),
            "give each job its own job_id"};
    }

    /// What no cell tells by itself.
    void check_row() {
        if (!trace_.jobs.empty() && job_.submit < trace_.jobs.back().submit)
            throw Refused{
                csv_.mark(submit_.at),
                fmt::format("submit_s is {}, before the {} of line {}: rows must stand by submit_s", shown(submit_.raw),
                            seconds_text(trace_.jobs.back().submit - kStart), csv_.mark(row_before_).line),
                "sort by submit_s"};
        if (job_.length > kEnd - job_.submit)
            throw Refused{csv_.mark(duration_.at),
                          fmt::format("duration_s is {}, the job would end past {} s, the end of time",
                                      shown(duration_.raw), seconds_text(kLongest)),
                          "check the unit: times are in seconds"};
        if (job_.deadline < job_.submit) ++late_;
    }

    Duration time(Column column, const Cell& cell) const {
        const auto number = parse_billionths(cell.raw);
        if (!number || number->negative || number->count > static_cast<std::uint64_t>(kLongest.count()))
            refuse(column, cell, fmt::format("a number of seconds from 0 to {}", seconds_text(kLongest)));
        return Duration(static_cast<std::int64_t>(number->count));
    }

    Bytes bytes(Column column, const Cell& cell) const {
        const auto number = parse_billionths(cell.raw);
        if (!number || number->negative || number->count > kMostGb * kBillion)
            refuse(column, cell, fmt::format("a number from 0 to {}", kMostGb));
        return Bytes(number->count);
    }

    std::uint32_t whole(Column column, const Cell& cell, std::uint64_t least, std::uint64_t most) const {
        const auto number = parse_billionths(cell.raw);
        if (!number || number->negative || number->count % kBillion != 0 || number->count < least * kBillion ||
            number->count > most * kBillion)
            refuse(column, cell, fmt::format("a whole number from {} to {}", least, most));
        return static_cast<std::uint32_t>(number->count / kBillion);
    }

    Level level(const Cell& cell) const {
        constexpr std::array<std::string_view, 4> kWords{"critical", "high", "normal", "low"};
        for (std::size_t i = 0; i < kWords.size(); ++i)
            if (same_word(cell.raw, kWords[i])) return static_cast<Level>(i);
        if (cell.raw.size() == 1 && cell.raw[0] >= '0' && cell.raw[0] <= '3')
            return static_cast<Level>(cell.raw[0] - '0');
        refuse(Column::priority, cell, "CRITICAL, HIGH, NORMAL or LOW, or their numbers 0, 1, 2, 3");
    }

    Work work(const Cell& cell) const {
        for (const Work work : {Work::batch, Work::online, Work::stream})
            if (same_word(cell.raw, name_of(work))) return work;
        refuse(Column::work, cell, "batch, online or stream");
    }

    static std::uint32_t number(Interning<std::string>& texts, const Cell& cell) {
        return cell.doubled ? texts.number_of(cell.text()) : texts.number_of(cell.raw);
    }

    [[noreturn]] void refuse(Column column, const Cell& cell, const std::string& rule) const {
        throw Refused{csv_.mark(cell.at),
                      fmt::format("{} is {}, it must be {}", name_of(column), shown(cell.text()), rule),
                      "write " + rule};
    }

    /// Reads up to it again, which only an error ever does.
    std::size_t line_of_job(std::uint32_t job) const {
        Csv again(text_);
        for (std::uint32_t row = 0; row <= job + 1; ++row) again.next();  // the header as well
        return again.mark(again.row_at()).line;
    }

    std::string_view text_;
    const std::string& file_name_;
    Csv csv_;
    Header header_;
    Trace trace_;
    Uniqueness uniqueness_{trace_.ids};
    Interning<std::string> users_{trace_.users};
    Interning<std::string> models_{trace_.models};
    Interning<std::string> names_{trace_.names};
    Interning<std::string> kinds_{trace_.kinds};
    Interning<Demand> demands_{trace_.demands};
    Job job_;  ///< The row being read, and what else it says.
    Demand demand_;
    Cell submit_;
    Cell duration_;
    std::size_t row_before_ = 0;
    std::size_t late_ = 0;
};

}  // namespace

Result<TraceFile> read_trace_file(std::string_view text, const std::string& file_name) {
    try {
        return TraceReader(text, file_name).read();
    } catch (const Refused& refused) {
        return invalid_at(file_name, refused.mark, refused.message, refused.fix);
    }
}

Result<Trace> read_trace(std::string_view text, const std::string& file_name) {
    auto file = read_trace_file(text, file_name);
    if (!file) return tl::unexpected(file.error());
    return std::move(file->trace);
}

std::string place_of_job(std::string_view text, const std::string& file_name, std::size_t job,
                         std::string_view column) {
    Csv csv(text);
    csv.next();
    std::size_t index = 0;
    while (index < csv.cells().size() && csv.cells()[index].raw != column) ++index;
    for (std::size_t row = 0; row <= job; ++row) csv.next();
    const bool there = index < csv.cells().size();
    const Mark mark = csv.mark(there ? csv.cells()[index].at : csv.row_at());
    return fmt::format("{}:{}:{}", file_name, mark.line, mark.column);
}

}  // namespace sy::input
