#include "output/charts.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/plan/testing.h"
#include "output/colors.h"

namespace sy::output {
namespace {

using nlohmann::json;
using plan::testing::Yard;

/// Two requests: an embedding on one GPU, then an answer by a gang of two.
Batch rag_batch() {
    return Yard()
        .gpus(3, 80)
        .model("bge", 2)
        .model("wide", 60, 2)
        .workflow("rag")
        .step("embed", "bge", 1)
        .step("answer", "wide", 4, {0})
        .requests(2)
        .batch();
}

Plan rag_plan() {
    Plan plan;
    plan.strategy = "heft";
    plan.lower_bound = 8s;
    plan.jobs = {{0, {GpuId(0), 1}, std::nullopt, kStart, kStart + 1s},
                 {2, {GpuId(0), 1}, std::nullopt, kStart + 1s, kStart + 2s},
                 {1, {GpuId(0), 2}, SwitchTimes{kStart + 2s, kStart + 6s}, kStart + 6s, kStart + 10s},
                 {3, {GpuId(0), 2}, std::nullopt, kStart + 10s, kStart + 14s}};
    return plan;
}

std::size_t count_of(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

/// The tables of a page, as its script reads them.
json tables_in(const std::string& page) {
    const std::string opening = "const plan = ";
    const std::size_t begin = page.find(opening) + opening.size();
    return json::parse(page.substr(begin, page.find(";\n", begin) - begin));
}

TEST(PlanHtml, HeaderSaysHowGoodThePlanIs) {
    const std::string page = plan_html(rag_batch(), rag_plan());
    for (const char* figure :
         {"<dt>makespan</dt><dd>14s</dd>", "<dt>bound</dt><dd>8s</dd>", "<dt>gap</dt><dd>75.00 %</dd>",
          "<dt>switches</dt><dd>2</dd>", "<dt>nodes</dt><dd>4</dd>", "<dt>strategy</dt><dd>heft</dd>"})
        EXPECT_NE(page.find(figure), std::string::npos) << figure;
    Plan optimal = rag_plan();
    optimal.proven_optimal = true;
    EXPECT_NE(plan_html(rag_batch(), optimal).find("<dt>gap</dt><dd>proven shortest</dd>"), std::string::npos);
}

TEST(PlanHtml, RequestsThatFollowEachOtherAreOneRow) {
    Batch batch = rag_batch();
    EXPECT_EQ(tables_in(plan_html(batch, rag_plan()))["requests"], json::parse(R"([[0, 2, "r", 0]])"));
    batch.requests[1].id = "vip";
    EXPECT_EQ(tables_in(plan_html(batch, rag_plan()))["requests"],
              json::parse(R"([[0, 1, "r", 0], [0, 1, "vip", null]])"));
    batch.requests[0].id = "r007";
    batch.requests[1].id = "r8";
    EXPECT_EQ(tables_in(plan_html(batch, rag_plan()))["requests"],
              json::parse(R"([[0, 1, "r007", null], [0, 1, "r", 8]])"));
}

TEST(PlanHtml, NamesCannotEndTheScript) {
    Batch batch = rag_batch();
    batch.models[0].name = "</script><!--<script>";
    const std::string page = plan_html(batch, rag_plan());
    EXPECT_EQ(count_of(page, "</script>"), 2U);
    EXPECT_EQ(count_of(page, "<!--"), 0U);
    EXPECT_EQ(tables_in(page)["models"][0]["name"], "</script><!--<script>");
}

TEST(PlanHtml, NeedsNothingFromElsewhere) {
    const std::string page = plan_html(rag_batch(), rag_plan());
    for (const char* word : {"http:", "https:", "src=", "@import", "fetch("}) EXPECT_EQ(count_of(page, word), 0U);
}

TEST(PlanHtml, AnEmptyPlanIsAPageToo) {
    Batch batch = rag_batch();
    batch.requests.clear();
    EXPECT_TRUE(tables_in(plan_html(batch, {}))["requests"].empty());
}

TEST(PlanSvg, HasABarForEachNodeAndLoad) {
    const std::string svg = plan_svg(rag_batch(), rag_plan());
    EXPECT_EQ(count_of(svg, "<title>"), 5U);
    EXPECT_NE(svg.find("gap 75.00 % · 2 switches · heft"), std::string::npos);
    Plan optimal = rag_plan();
    optimal.proven_optimal = true;
    EXPECT_NE(plan_svg(rag_batch(), optimal).find("proven shortest"), std::string::npos);
}

TEST(PlanSvg, ManyShortNodesOfAModelAreOneBar) {
    const std::uint32_t many = 5000;
    const Batch batch = Yard().gpus(1, 80).model("bge", 2).workflow("w").step("embed", "bge", 1).requests(many).batch();
    Plan plan;
    for (std::uint32_t i = 0; i < many; ++i)
        plan.jobs.push_back({i, {GpuId(0), 1}, std::nullopt, kStart + i * 1001ms, kStart + i * 1001ms + 1s});
    EXPECT_EQ(count_of(plan_svg(batch, plan), "<title>"), 1U);
}

TEST(PlanTrace, LanesHaveNamesAndEventsTheirTimes) {
    const json events = json::parse(plan_trace(rag_batch(), rag_plan()))["traceEvents"];
    std::map<int, std::string> lanes;
    std::map<int, double> busy;
    for (const json& event : events) {
        if (event["ph"] == "M" && event["name"] == "thread_name") lanes[event["tid"]] = event["args"]["name"];
        if (event["ph"] == "X") busy[event["tid"]] += event["dur"].get<double>();
    }
    EXPECT_EQ(lanes, (std::map<int, std::string>{{1, "gpu0 gpu (n0)"}, {2, "gpu1 gpu (n0)"}, {3, "gpu2 gpu (n0)"}}));
    EXPECT_EQ(busy, (std::map<int, double>{{1, 14e6}, {2, 12e6}}));
}

TEST(ColorOfModel, IsItsOwnForAHundredModels) {
    std::set<std::string> fills;
    for (std::size_t model = 0; model < 100; ++model) fills.insert(color_of_model(model).fill);
    EXPECT_EQ(fills.size(), 100U);
    EXPECT_EQ(color_of_model(0).fill.size(), 7U);
}

}  // namespace
}  // namespace sy::output
