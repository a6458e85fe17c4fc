#include "input/trace_columns.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "input/decimal.h"
#include "input/fields.h"
#include "input/reading.h"

namespace sy::input {

namespace {

/// More ignored columns than this are counted, not named.
constexpr std::size_t kMostNamed = 8;

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

Column column_named(const std::string& name) {
    const auto at = std::find(kColumnNames.begin(), kColumnNames.end(), lower(name));
    return static_cast<Column>(at - kColumnNames.begin());
}

std::vector<std::string_view> missing_columns(const std::vector<Column>& columns) {
    std::vector<std::string_view> missing;
    for (std::size_t i = 0; i < kRequiredColumns; ++i)
        if (std::find(columns.begin(), columns.end(), static_cast<Column>(i)) == columns.end())
            missing.push_back(kColumnNames[i]);
    return missing;
}

/// Why the columns are missing, as far as the header tells.
std::string fix_for(const Csv& csv, const std::vector<std::string_view>& missing,
                    const std::vector<std::string>& unknown) {
    const std::string example = fmt::format("job_id,submit_s,duration_s,gpus");
    const Cell& first = csv.cells().front();
    if (csv.count() == 1 && first.raw.find_first_of(";\t|") != std::string_view::npos)
        return "separate the cells by commas, as in " + example;
    if (parse_billionths(first.raw)) return "the first line must name the columns, as in " + example;
    std::vector<std::string> renamed;
    for (const std::string_view name : missing)
        if (const auto meant = nearest_word(name, {unknown.begin(), unknown.end()}))
            renamed.push_back(fmt::format("{} to {}", shown(*meant), name));
    if (renamed.empty()) return fmt::format("add {}", fmt::join(missing, ", "));
    return fmt::format("rename {}?", fmt::join(renamed, ", "));
}

std::string ignored_warning(const Csv& csv, const Cell& cell, const std::string& name, const std::string& file_name) {
    const Mark mark = csv.mark(cell.at);
    const auto meant = nearest_word(lower(name), {kColumnNames.begin(), kColumnNames.end()});
    return fmt::format("{}:{}:{}: unknown column {} is ignored{}", file_name, mark.line, mark.column, shown(name),
                       meant ? fmt::format("; did you mean {}?", *meant) : "");
}

}  // namespace

Header read_header(Csv& csv, const std::string& file_name) {
    if (!csv.next()) throw Refused{{}, "the file is empty", "begin it with the line job_id,submit_s,duration_s,gpus"};
    if (csv.count() > Csv::kMostCells)
        throw Refused{csv.mark(csv.row_at()),
                      fmt::format("the header has {} columns, the limit is {}", csv.count(), Csv::kMostCells),
                      "leave out the columns no scheduler asks for"};
    Header header;
    std::vector<std::string> unknown;
    std::map<Column, Mark> seen;
    for (const Cell& cell : csv.cells()) {
        const std::string name = cell.text();
        const Column column = column_named(name);
        header.columns.push_back(column);
        if (column == Column::ignored) {
            unknown.push_back(name);
            if (unknown.size() <= kMostNamed) header.warnings.push_back(ignored_warning(csv, cell, name, file_name));
            continue;
        }
        const auto [first, is_new] = seen.emplace(column, csv.mark(cell.at));
        if (!is_new)
            throw Refused{csv.mark(cell.at),
                          fmt::format("the column {} stands here again, first in column {} of the line",
                                      name_of(column), first->second.column),
                          "keep one of them"};
    }
    if (const auto missing = missing_columns(header.columns); !missing.empty())
        throw Refused{csv.mark(csv.row_at()), fmt::format("the header lacks {}", fmt::join(missing, ", ")),
                      fix_for(csv, missing, unknown)};
    if (unknown.size() > kMostNamed)
        header.warnings.push_back(
            fmt::format("{}: {} more unknown columns are ignored", file_name, unknown.size() - kMostNamed));
    return header;
}

}  // namespace sy::input
