// Measures what the project promises about speed, size and plans: a table on stdout, JSON where asked for.
// A missed target does not fail the run: timings on a shared machine are no test. The table says it plainly.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "benches.h"

namespace sy::bench {

namespace {

struct Bench {
    std::string_view name;
    std::vector<Row> (*run)(const Pace&);
};

constexpr std::array<Bench, 13> kBenches{{{"step", bench_step},
                                          {"line", bench_line},
                                          {"predict", bench_predict},
                                          {"balance", bench_balance},
                                          {"simulate", bench_simulate},
                                          {"plan-drawn", bench_drawn},
                                          {"plan-small", bench_small},
                                          {"plan-graphs", bench_task_graphs},
                                          {"plan-unrelated", bench_unrelated},
                                          {"plan-workflows", bench_workflows},
                                          {"plan-images", bench_images},
                                          {"plan-million", bench_million},
                                          {"metrics", bench_metrics}}};

struct Wishes {
    Pace pace;
    std::string json;
    std::vector<std::string> names;  ///< Parts of names; all benches where there are none.

    bool wants(const Bench& bench) const {
        return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                   return bench.name.find(name) != std::string_view::npos;
               });
    }
};

std::optional<Wishes> read_wishes(const std::vector<std::string>& words) {
    Wishes wishes;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--quick")
            wishes.pace.quick = true;
        else if (words[i] == "--json" && i + 1 < words.size())
            wishes.json = words[++i];
        else if (words[i].starts_with('-'))
            return std::nullopt;
        else
            wishes.names.push_back(words[i]);
    }
    return std::any_of(kBenches.begin(), kBenches.end(), [&](const Bench& bench) { return wishes.wants(bench); })
               ? std::optional(wishes)
               : std::nullopt;
}

int run(const Wishes& wishes) {
    std::vector<Row> all;
    print_head();
    for (const Bench& bench : kBenches) {
        if (!wishes.wants(bench)) continue;
        const std::vector<Row> rows = bench.run(wishes.pace);
        print_rows(rows);
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return write_json(all, wishes.json) ? 0 : 1;
}

}  // namespace

}  // namespace sy::bench

int main(int count, char** words) {
    const auto wishes = sy::bench::read_wishes({words + 1, words + count});
    if (wishes) return sy::bench::run(*wishes);
    fmt::print(stderr,
               "usage: bench_switchyard [--json FILE] [--quick] [NAME...]\nbenches, by any part of their name:");
    for (const auto& bench : sy::bench::kBenches) fmt::print(stderr, " {}", bench.name);
    fmt::print(stderr, "\n");
    return 2;
}
