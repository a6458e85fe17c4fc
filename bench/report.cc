#include "report.h"

#include <cstdio>
#include <ctime>
#include <fstream>

#include <fmt/core.h>
#include <malloc.h>
#include <nlohmann/json.hpp>

namespace sy::bench {

namespace {

std::chrono::nanoseconds thread_time() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

std::string target_text(const Row& row) {
    if (!row.target) return "";
    return fmt::format("{} {:.10g}", row.aim == Aim::at_least ? "at least" : "at most", *row.target);
}

}  // namespace

Stopwatch::Stopwatch() : start_(thread_time()) {}

double Stopwatch::seconds() const {
    return static_cast<double>((thread_time() - start_).count()) / 1e9;
}

std::uint64_t allocated_bytes() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

void print_head() {
    fmt::print("{:<76} {:>12} {:<8} {:<16} {}\n", "what", "measured", "unit", "target", "reached");
}

void print_rows(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        fmt::print("{:<76} {:>12.5g} {:<8} {:<16} {}\n", row.what, row.measured, row.unit, target_text(row),
                   !row.target     ? ""
                   : row.reached() ? "yes"
                                   : "NO");
    std::fflush(stdout);  // a row is seen as soon as it is known
}

bool write_json(const std::vector<Row>& rows, const std::string& path) {
    if (path.empty()) return true;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
        nlohmann::ordered_json entry{{"what", row.what}, {"measured", row.measured}, {"unit", row.unit}};
        if (row.target) {
            entry["target"] = *row.target;
            entry["aim"] = row.aim == Aim::at_least ? "at least" : "at most";
            entry["reached"] = row.reached();
        }
        list.push_back(std::move(entry));
    }
    std::ofstream file(path);
    file << nlohmann::ordered_json{{"rows", list}}.dump(2) << "\n";
    return static_cast<bool>(file);
}

}  // namespace sy::bench
