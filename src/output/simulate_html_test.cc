#include "output/simulate_html.h"

#include <cctype>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "output/axis.h"

namespace sy::output {
namespace {

using measure::Study;

Study study(const std::string& order, double mean_jct_s) {
    Study study;
    study.order = order;
    study.indicators.jobs = 3;
    study.indicators.mean_wait_s = 30;
    study.indicators.mean_jct_s = mean_jct_s;
    study.indicators.p50_jct_s = 90;
    study.indicators.p99_jct_s = 9000;
    study.indicators.makespan_s = 7200;
    study.indicators.utilization = 0.815;
    study.indicators.preemptions = 1234;
    study.indicators.fairness = 0.77;
    study.lower_bound_mean_jct_s = 300;
    study.course.set(kStart, 6, 1);
    study.course.set(kStart + 1h, 8, 40);
    study.course.close(kStart + 2h);
    study.users = {{"ada", 2, 3000, mean_jct_s, 1}, {"bob", 1, 1000, 60, 1}};
    study.completion_s = {10, 90, 9000};
    return study;
}

const Scene kScene{"day.csv", "4x8", "easy", "consolidate", 32};

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

/// The name of an element that is not closed in its place, or nothing. Script and style are text to HTML.
std::string first_unclosed(std::string page) {
    static const std::set<std::string> kVoid{"meta", "!doctype"};
    for (const std::string raw : {"script", "style"}) {
        const std::size_t begin = page.find('>', page.find("<" + raw)) + 1;
        page.erase(begin, page.find("</" + raw + ">", begin) - begin);
    }
    std::vector<std::string> open;
    for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
        const std::size_t end = page.find('>', at);
        if (end == std::string::npos) return "<";
        if (page[end - 1] == '/') continue;
        const bool closes = page[at + 1] == '/';
        std::size_t letter = at + (closes ? 2 : 1);
        std::string name;
        while (page[letter] != ' ' && page[letter] != '>') name += page[letter++];
        if (kVoid.contains(name)) continue;
        if (!closes) {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != name) return "/" + name;
        open.pop_back();
    }
    return open.empty() ? "" : open.back();
}

TEST(SimulateHtml, SaysWhatWasTriedOnWhat) {
    const std::string page = simulate_html(kScene, std::vector{study("fcfs", 600)});
    for (const char* words :
         {"<h1>day.csv on 4x8</h1>", "<dt>GPUs</dt><dd>32</dd>", "<dt>jobs</dt><dd>3</dd>", "<dt>fit</dt><dd>easy</dd>",
          "<dt>placement</dt><dd>consolidate</dd>", "<dt>lower bound</dt><dd>5.0 min</dd>"})
        EXPECT_EQ(count_of(page, words), 1U) << words;
}

TEST(SimulateHtml, HasEachOrderAndItsFigures) {
    const std::string page = simulate_html(kScene, std::vector{study("fcfs", 600), study("srtf", 450)});
    for (const char* order : {"fcfs", "srtf"}) {
        EXPECT_NE(page.find(std::string(order) + "</th><td"), std::string::npos);
        EXPECT_EQ(count_of(page, "data-name=\"" + std::string(order)), 3U);
    }
    for (const char* figure : {">30.0 s<", ">10.0 min<", ">100 %<", ">50 %<", ">2.5 h<", ">2.0 h<", ">81.5 %<",
                               ">1,234<", ">0.77<", "lower bound 5.0 min", "up to 40", "ada", "bob"})
        EXPECT_NE(page.find(figure), std::string::npos) << figure;
    EXPECT_NE(page.find("<b>srtf</b> completes jobs in 7.5 min on average, 50 % above"), std::string::npos);
    EXPECT_NE(page.find("<b>fcfs</b> takes 1.3 times as long"), std::string::npos);
}

TEST(SimulateHtml, IsWellFormedUpToADozenOrders) {
    std::vector<Study> studies;
    for (int i = 0; i < 12; ++i) {
        EXPECT_EQ(first_unclosed(simulate_html(kScene, studies)), "") << studies.size() << " orders";
        studies.push_back(study("order" + std::to_string(i), 400 + i));
    }
    std::set<std::string> looks;
    const std::string page = simulate_html(kScene, studies);
    const std::string bar = "class=\"bar ";
    for (std::size_t at = page.find(bar); at != std::string::npos; at = page.find(bar, at + 1))
        looks.insert(page.substr(at + bar.size(), 5));
    EXPECT_EQ(looks.size(), 12U);
}

TEST(SimulateHtml, NamesStayText) {
    const std::string evil = "<script>alert(\"1\")</script>&";
    Study bad = study(evil, 600);
    bad.users[0].user = evil;
    const std::string page = simulate_html({evil, evil, evil, evil, 1}, std::vector{bad, study("fcfs", 500)});
    EXPECT_EQ(count_of(page, "<script>"), 1U);
    EXPECT_EQ(count_of(page, "</script>"), 1U);
    EXPECT_EQ(count_of(page, "alert(\""), 0U);
    EXPECT_NE(page.find("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"), std::string::npos);
    EXPECT_EQ(first_unclosed(page), "");
}

TEST(SimulateHtml, NeedsNothingFromElsewhere) {
    const std::string page = simulate_html(kScene, std::vector{study("fcfs", 600)});
    for (const char* word : {"http:", "https:", "//www", "src=", "href=", "@import", "url(", "fetch("})
        EXPECT_EQ(count_of(page, word), 0U) << word;
}

TEST(SimulateHtml, OneUserIsNoComparison) {
    Study alone = study("fcfs", 600);
    EXPECT_EQ(count_of(simulate_html(kScene, std::vector{alone}), "<h2>Users</h2>"), 1U);
    alone.users.pop_back();
    EXPECT_EQ(count_of(simulate_html(kScene, std::vector{alone}), "<h2>Users</h2>"), 0U);
    alone.users.clear();
    EXPECT_EQ(count_of(simulate_html(kScene, std::vector{alone}), "<h2>Users</h2>"), 0U);
}

TEST(SimulateHtml, OfManyUsersTheTwelveLargestAreShown) {
    Study many = study("fcfs", 600);
    many.users.clear();
    for (int i = 0; i < 30; ++i) many.users.push_back({"user" + std::to_string(i), 1, 100.0 - i, 60, 1});
    const std::string page = simulate_html(kScene, std::vector{many});
    EXPECT_NE(page.find(">user11<"), std::string::npos);
    EXPECT_EQ(page.find(">user12<"), std::string::npos);
}

TEST(SimulateHtml, AUserOneOrderDoesNotKnowGetsADash) {
    Study other = study("sjf", 500);
    other.users.erase(other.users.begin());
    EXPECT_NE(simulate_html(kScene, std::vector{study("fcfs", 600), other}).find("<td>–</td></tr>"), std::string::npos);
}

TEST(SimulateHtml, DeadlinesAreShownWhereThereAreAny) {
    Study due = study("edf", 600);
    EXPECT_EQ(simulate_html(kScene, std::vector{due}).find(">late</th>"), std::string::npos);
    due.indicators.with_deadline = 1500;
    due.indicators.late = 7;
    const std::string page = simulate_html(kScene, std::vector{due});
    EXPECT_NE(page.find(">late</th>"), std::string::npos);
    EXPECT_NE(page.find("7 of 1,500"), std::string::npos);
}

TEST(SimulateHtml, ATraceInWhichNothingHappensIsAPageToo) {
    Study still;
    still.order = "fcfs";
    still.completion_s = {0, 0};
    for (const Study& each : {still, Study()}) {
        const std::string page = simulate_html({}, std::vector{each});
        EXPECT_EQ(first_unclosed(page), "");
        EXPECT_EQ(count_of(page, "class=\"plot"), 0U);
        EXPECT_EQ(count_of(page, "class=\"bound\""), 0U);
        for (const char* word : {"nan", "inf%", "inf "}) EXPECT_EQ(count_of(page, word), 0U) << word;
    }
}

TEST(SimulateHtml, AnOrderWithoutACourseStandsBesideOneThatHasIt) {
    Study bare = study("none", 600);
    bare.course = measure::Course();
    const std::string page = simulate_html(kScene, std::vector{bare, study("fcfs", 500)});
    EXPECT_EQ(first_unclosed(page), "");
    EXPECT_EQ(count_of(page, "nan"), 0U);
}

TEST(SimulateHtml, TheBestOfAColumnIsMarkedUnlessAllAreAlike) {
    const auto stars = [](const std::vector<Study>& studies) {
        return count_of(simulate_html(kScene, studies), "class=\"best\"");
    };
    EXPECT_EQ(stars({study("fcfs", 600), study("sjf", 600)}), 0U);
    EXPECT_EQ(stars({study("fcfs", 600), study("sjf", 500)}), 1U);
}

TEST(Axis, MarksAreFewAndRound) {
    for (const double seconds : {0.004, 0.7, 3.0, 59.0, 100.0, 5000.0, 90000.0, 1e6, 1e8}) {
        const std::vector<Mark> marks = time_marks(seconds);
        EXPECT_GE(marks.size(), 2U) << seconds;
        EXPECT_LE(marks.size(), 8U) << seconds;
        EXPECT_LE(marks.back().at, 1.0) << seconds;
    }
    EXPECT_EQ(time_marks(86400).at(1).label, "6 h");
    EXPECT_EQ(time_marks(0).size(), 1U);
    EXPECT_EQ(round_end(1203), 1500);
    EXPECT_EQ(round_end(0), 1);
}

TEST(Axis, EachTenTimesAsLongIsAsFar) {
    const LogTimeAxis axis(1, 10000);
    EXPECT_NEAR(axis.at(10), 0.25, 1e-9);
    EXPECT_NEAR(axis.at(1000), 0.75, 1e-9);
    EXPECT_EQ(axis.at(0), 0);
    EXPECT_EQ(axis.marks().front().label, "1 s");
    const LogTimeAxis narrow(60, 60);
    EXPECT_NEAR(narrow.at(60), 0.5, 1e-9);
}

}  // namespace
}  // namespace sy::output
