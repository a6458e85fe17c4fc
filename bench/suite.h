// Suite: the benches of one program, run as its command line says: [--json FILE] [--quick] [NAME...].
//
// A missed target does not fail the run: timings on a shared machine are no test. The table says it plainly.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "benches.h"

namespace sy::bench {

template <class Round>
struct Bench {
    std::string_view name;
    std::vector<Row> (*run)(Round& round);
};

struct Wishes {
    Pace pace;
    std::string json;
    std::vector<std::string> names;  ///< Parts of names; all benches where there are none.

    /// Nothing where the words are not understood.
    static std::optional<Wishes> read(const std::vector<std::string>& words);
    bool wants(std::string_view bench) const;
};

template <class Round>
int run_suite(std::span<const Bench<Round>> benches, const Wishes& wishes, Round& round) {
    std::vector<Row> all;
    print_head();
    for (const Bench<Round>& bench : benches) {
        if (!wishes.wants(bench.name)) continue;
        const std::vector<Row> rows = bench.run(round);
        print_rows(rows);
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return write_json(all, wishes.json) ? 0 : 1;
}

template <class Round>
bool any_wanted(std::span<const Bench<Round>> benches, const Wishes& wishes) {
    return std::any_of(benches.begin(), benches.end(), [&](const auto& bench) { return wishes.wants(bench.name); });
}

/// What to say where the words were not understood; the exit code.
template <class Round>
int explain_usage(std::string_view program, std::span<const Bench<Round>> benches) {
    fmt::print(stderr, "usage: {} [--json FILE] [--quick] [NAME...]\nbenches, by any part of their name:", program);
    for (const auto& bench : benches) fmt::print(stderr, " {}", bench.name);
    fmt::print(stderr, "\n");
    return 2;
}

}  // namespace sy::bench
