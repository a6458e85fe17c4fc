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

/// Pages of a trace of which nobody asks more.
std::string page_of(const Scene& scene, const std::vector<Study>& studies) {
    return simulate_html(scene, Trace{}, studies);
}

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

/// The name of an element that is not closed in its place, or nothing. Script and style are text to HTML.
std::string first_unclosed(std::string page) {
    static const std::set<std::string> kVoid{"meta", "!doctype"};
    for (const std::string raw : {"script", "style"})
        for (std::size_t at = page.find("<" + raw); at != std::string::npos; at = page.find("<" + raw, at + 1)) {
            const std::size_t begin = page.find('>', at) + 1;
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
    const std::string page = page_of(kScene, std::vector{study("fcfs", 600)});
    for (const char* words :
         {"<h1>day.csv on 4x8</h1>", "<dt>GPUs</dt><dd>32</dd>", "<dt>jobs</dt><dd>3</dd>", "<dt>fit</dt><dd>easy</dd>",
          "<dt>placement</dt><dd>consolidate</dd>", "<dt>lower bound</dt><dd>5.0 min</dd>"})
        EXPECT_EQ(count_of(page, words), 1U) << words;
}

TEST(SimulateHtml, HasEachOrderAndItsFigures) {
    const std::string page = page_of(kScene, std::vector{study("fcfs", 600), study("srtf", 450)});
    for (const char* order : {"fcfs", "srtf"}) {
        EXPECT_NE(page.find(std::string(order) + "</th><td"), std::string::npos);
        EXPECT_EQ(count_of(page, "{\"order\":\"" + std::string(order)), 1U) << "the plots' data";
    }
    for (const char* figure : {">30.0 s<", ">10.0 min<", ">100 %<", ">50 %<", ">2.5 h<", ">2.0 h<", ">81.5 %<",
                               ">1,234<", ">0.77<", "lower bound 5.0 min", "ada", "bob"})
        EXPECT_NE(page.find(figure), std::string::npos) << figure;
    EXPECT_NE(page.find("<b>srtf</b> completes jobs in 7.5 min on average, 50 % above"), std::string::npos);
    EXPECT_NE(page.find("<b>fcfs</b> takes 1.3 times as long"), std::string::npos);
}

TEST(SimulateHtml, IsWellFormedUpToADozenOrders) {
    std::vector<Study> studies;
    for (int i = 0; i < 12; ++i) {
        EXPECT_EQ(first_unclosed(page_of(kScene, studies)), "") << studies.size() << " orders";
        studies.push_back(study("order" + std::to_string(i), 400 + i));
    }
    std::set<std::string> looks;
    const std::string page = page_of(kScene, studies);
    const std::string bar = "class=\"bar ";
    for (std::size_t at = page.find(bar); at != std::string::npos; at = page.find(bar, at + 1))
        looks.insert(page.substr(at + bar.size(), 5));
    EXPECT_EQ(looks.size(), 12U);
}

TEST(SimulateHtml, NamesStayText) {
    const std::string evil = "<script>alert(\"1\")</script>&";
    Study bad = study(evil, 600);
    bad.users[0].user = evil;
    const std::string page = page_of({evil, evil, evil, evil, 1}, std::vector{bad, study("fcfs", 500)});
    EXPECT_EQ(count_of(page, "<script"), 3U) << "uPlot, where the parts are, and the report's own";
    EXPECT_EQ(count_of(page, "</script>"), 3U);
    EXPECT_EQ(count_of(page, "alert(\""), 0U);
    EXPECT_NE(page.find("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"), std::string::npos);
    EXPECT_EQ(first_unclosed(page), "");
}

TEST(SimulateHtml, NeedsNothingFromElsewhere) {
    const std::string page = page_of(kScene, std::vector{study("fcfs", 600)});
    for (const char* word : {"http:", "//www", "src=", "href=", "@import", "url(", "fetch("})
        EXPECT_EQ(count_of(page, word), 0U) << word;
    EXPECT_EQ(count_of(page, "https:"), 1U) << "the comment that says whose uPlot is";
}

TEST(SimulateHtml, OneUserIsNoComparison) {
    Study alone = study("fcfs", 600);
    EXPECT_EQ(count_of(page_of(kScene, std::vector{alone}), "<h2>Users</h2>"), 1U);
    alone.users.pop_back();
    EXPECT_EQ(count_of(page_of(kScene, std::vector{alone}), "<h2>Users</h2>"), 0U);
    alone.users.clear();
    EXPECT_EQ(count_of(page_of(kScene, std::vector{alone}), "<h2>Users</h2>"), 0U);
}

TEST(SimulateHtml, OfManyUsersTheTwelveLargestAreShown) {
    Study many = study("fcfs", 600);
    many.users.clear();
    for (int i = 0; i < 30; ++i) many.users.push_back({"user" + std::to_string(i), 1, 100.0 - i, 60, 1});
    const std::string page = page_of(kScene, std::vector{many});
    EXPECT_NE(page.find(">user11<"), std::string::npos);
    EXPECT_EQ(page.find(">user12<"), std::string::npos);
}

TEST(SimulateHtml, AUserOneOrderDoesNotKnowGetsADash) {
    Study other = study("sjf", 500);
    other.users.erase(other.users.begin());
    EXPECT_NE(page_of(kScene, std::vector{study("fcfs", 600), other}).find("<td>–</td></tr>"), std::string::npos);
}

TEST(SimulateHtml, DeadlinesAreShownWhereThereAreAny) {
    Study due = study("edf", 600);
    EXPECT_EQ(page_of(kScene, std::vector{due}).find(">late</th>"), std::string::npos);
    due.indicators.with_deadline = 1500;
    due.indicators.late = 7;
    const std::string page = page_of(kScene, std::vector{due});
    EXPECT_NE(page.find(">late</th>"), std::string::npos);
    EXPECT_NE(page.find("7 of 1,500"), std::string::npos);
}

TEST(SimulateHtml, ATraceInWhichNothingHappensIsAPageToo) {
    Study still;
    still.order = "fcfs";
    still.completion_s = {0, 0};
    for (const Study& each : {still, Study()}) {
        const std::string page = page_of({}, std::vector{each});
        EXPECT_EQ(first_unclosed(page), "");
        EXPECT_EQ(count_of(page, "class=\"plots\""), 0U);
        EXPECT_EQ(count_of(page, "<script"), 0U);
        EXPECT_EQ(count_of(page, "class=\"bound\""), 0U);
        for (const char* word : {"nan", "inf%", "inf "}) EXPECT_EQ(count_of(page, word), 0U) << word;
    }
}

TEST(SimulateHtml, AnOrderWithoutACourseStandsBesideOneThatHasIt) {
    Study bare = study("none", 600);
    bare.course = measure::Course();
    const std::string page = page_of(kScene, std::vector{bare, study("fcfs", 500)});
    EXPECT_EQ(first_unclosed(page), "");
    EXPECT_EQ(count_of(page, "nan"), 0U);
}

TEST(SimulateHtml, TheBestOfAColumnIsMarkedUnlessAllAreAlike) {
    const auto stars = [](const std::vector<Study>& studies) {
        return count_of(page_of(kScene, studies), "class=\"best\"");
    };
    EXPECT_EQ(stars({study("fcfs", 600), study("sjf", 600)}), 0U);
    EXPECT_EQ(stars({study("fcfs", 600), study("sjf", 500)}), 1U);
}

/// A trace of one job that ran on two GPUs of three.
TEST(SimulateHtml, TheChartHasABarForEachSpellAndALaneForEachGpu) {
    Trace trace;
    trace.jobs = {{.submit = kStart, .length = 60s}};
    trace.ids = {"</script>job"};
    trace.demands = {{.gpus = 2}};
    Study one = study("fcfs", 600);
    one.spells = {{0, 1, 2, kStart + 5s, kStart + 65s}};
    Scene scene = kScene;
    scene.lanes = {"gpu0", "gpu1", "gpu2"};
    const std::string page = simulate_html(scene, trace, std::vector{one});
    EXPECT_NE(page.find(R"("spells":{"job":[0],"lane":[1],"lanes":[2],"start_s":[5.0],"end_s":[65.0]})"),
              std::string::npos);
    EXPECT_NE(page.find(R"("lanes":["gpu0","gpu1","gpu2"])"), std::string::npos);
    EXPECT_NE(page.find(R"("id":["\u003c/script>job"])"), std::string::npos);
    EXPECT_EQ(count_of(page, "<section id=\"gantt\">"), 1U);
    EXPECT_EQ(count_of(simulate_html(kScene, trace, std::vector{one}), "<section id=\"gantt\">"), 0U)
        << "too many GPUs";
    EXPECT_EQ(first_unclosed(page), "");
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
