// Measures what the project promises about speed and size: a table on stdout, JSON where asked for.
// A missed target does not fail the run: timings on a shared machine are no test. The table says it plainly.
#include <string>
#include <vector>

#include <fmt/core.h>

#include "report.h"

int main(int count, char** words) {
    const std::vector<std::string> arguments(words + 1, words + count);
    const bool wants_json = arguments.size() == 2 && arguments[0] == "--json";
    if (!arguments.empty() && !wants_json) {
        fmt::print(stderr, "usage: bench_switchyard [--json FILE]\n");
        return 2;
    }
    std::vector<sy::bench::Row> rows;
    for (const auto bench : {sy::bench::bench_step, sy::bench::bench_line, sy::bench::bench_plan})
        for (const sy::bench::Row& row : bench()) rows.push_back(row);
    sy::bench::print_table(rows);
    return sy::bench::write_json(rows, wants_json ? arguments[1] : "") ? 0 : 1;
}
