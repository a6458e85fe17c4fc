#include "service/metrics/text.h"

#include <limits>

#include <gtest/gtest.h>

#include "service/exposition.h"

namespace sy::metrics {
namespace {

TEST(MetricsText, WritesFamiliesAsPrometheusReadsThem) {
    Text text;
    text.family("tasks_total", Type::counter, "Tasks.");
    text.value(std::uint64_t{7}, {{"end", "failed"}, {"why", "a \"b\"\\\nc"}});
    text.single("heat_celsius", Type::gauge, "Heat.", 36.5);
    EXPECT_EQ(text.take(),
              "# HELP tasks_total Tasks.\n# TYPE tasks_total counter\n"
              "tasks_total{end=\"failed\",why=\"a \\\"b\\\"\\\\\\nc\"} 7\n"
              "# HELP heat_celsius Heat.\n# TYPE heat_celsius gauge\nheat_celsius 36.5\n");
}

TEST(MetricsText, ABoundBelongsToItsOwnBucket) {
    constexpr std::array kBounds{1.0, 2.0};
    Histogram histogram(kBounds);
    for (const double amount : {0.5, 1.0, 1.5, 2.5}) histogram.observe(amount);
    Text text;
    text.single("wait_seconds", Type::histogram, "Wait.", histogram);
    const std::string page = text.take();
    EXPECT_NE(page.find("wait_seconds_bucket{le=\"1\"} 2\nwait_seconds_bucket{le=\"2\"} 3\n"
                        "wait_seconds_bucket{le=\"+Inf\"} 4\nwait_seconds_sum 5.5\nwait_seconds_count 4\n"),
              std::string::npos)
        << page;
    EXPECT_EQ(service_test::Exposition(page).complaints(), "");
}

TEST(MetricsText, WhatIsNoFiniteNumberIsSpelledTheirWay) {
    Text text;
    text.family("x", Type::gauge, "X.");
    text.value(std::numeric_limits<double>::infinity(), {{"is", "large"}});
    text.value(-std::numeric_limits<double>::infinity(), {{"is", "small"}});
    text.value(std::nan(""), {{"is", "none"}});
    const std::string page = text.take();
    for (const char* word : {"+Inf\n", "-Inf\n", "NaN\n"}) EXPECT_NE(page.find(word), std::string::npos) << word;
}

TEST(MetricsText, TheStrictReaderSeesWhatIsWrong) {
    const auto complaints = [](const std::string& page) { return service_test::Exposition(page).complaints(); };
    const std::string head = "# HELP x X.\n# TYPE x counter\n";
    EXPECT_EQ(complaints(head + "x 1\n"), "");
    EXPECT_NE(complaints(head + "x 1"), "");
    EXPECT_NE(complaints(head + "x 1\nx 2\n"), "");
    EXPECT_NE(complaints(head + "y 1\n"), "");
    EXPECT_NE(complaints(head + "x -1\n"), "");
    EXPECT_NE(complaints(head + "x{a=\"b} 1\n"), "");
    EXPECT_NE(complaints(head + "x one\n"), "");
    EXPECT_NE(complaints(head + head), "");
    EXPECT_NE(complaints("# HELP x X.\n# TYPE x histogram\nx_bucket{le=\"+Inf\"} 1\nx_sum 1\nx_count 2\n"), "");
}

}  // namespace
}  // namespace sy::metrics
