#include "service/whatif/desk.h"

#include <condition_variable>
#include <mutex>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sy::whatif {
namespace {

using Json = nlohmann::ordered_json;

std::string trace_of(std::size_t jobs, const std::string& duration = "10") {
    std::string text = "job_id,submit_s,duration_s,gpus\n";
    for (std::size_t i = 0; i < jobs; ++i) text += fmt::format("j{},{},{},1\n", i, i, duration);
    return text;
}

std::shared_ptr<Inquiry> inquiry(const Json& body) {
    Standing standing;
    standing.cluster.nodes = {NodeSpec{.gpus = 2}};
    standing.gpus = {0, 3};
    standing.in_force.order = "priority";
    standing.in_force.fit = "easy";
    return std::make_shared<Inquiry>(body.dump(), std::move(standing));
}

Json on_trace(const std::string& trace, const std::vector<std::string>& orders) {
    return {{"trace", trace}, {"name", "day.csv"}, {"orders", orders}};
}

Json answered(const Json& body, const Limits& limits = {}) {
    const auto asked = inquiry(body);
    const Answer answer = answer_to(*asked, limits);
    Json json = Json::parse(answer.body);
    EXPECT_EQ(answer.status, json.contains("error") ? 422U : 200U);
    return json;
}

TEST(WhatIf, EveryOrderIsTriedBesideTheOneInForce) {
    const Json told = answered(on_trace(trace_of(20), {"sjf", "srtf"}));
    ASSERT_EQ(told["orders"].size(), 3U);
    EXPECT_EQ(told["orders"][0]["order"], "priority");
    EXPECT_EQ(told["orders"][0]["in_force"], true);
    EXPECT_EQ(told["orders"][0]["fit"], "easy");
    EXPECT_EQ(told["orders"][1]["in_force"], false);
    EXPECT_EQ(told["orders"][2]["jobs"], 20);
    EXPECT_EQ(told["cluster"]["lanes"], (Json{"gpu0", "gpu3"}));
    EXPECT_EQ(told["jobs"]["id"].size(), 20U);
    EXPECT_EQ(told["orders"][1]["spells"]["job"].size(), 20U);
}

TEST(WhatIf, OrdersByWhichALiveServiceCannotGoAreToldApart) {
    const Json told = answered(on_trace(trace_of(5), {"sjf", "srtf", "las"}));
    EXPECT_EQ(told["orders"][0]["for_live"], true);
    EXPECT_EQ(told["orders"][1]["for_live"], true);
    EXPECT_EQ(told["orders"][2]["for_live"], false) << "it interrupts";
    EXPECT_EQ(told["orders"][3]["for_live"], false);
}

TEST(WhatIf, ThePlacementOfALiveServiceHasAStandIn) {
    Json body = on_trace(trace_of(5), {"fcfs"});
    body["place"] = "scored";
    const Json told = answered(body);
    EXPECT_EQ(told["orders"][0]["place"], "consolidate");
    EXPECT_NE(told["notes"].dump().find("consolidate stands for it"), std::string::npos);
}

TEST(WhatIf, TheOrderInForceIsNotTriedTwice) {
    EXPECT_EQ(answered(on_trace(trace_of(5), {"fcfs", "priority"}))["orders"].size(), 2U);
    Json strict = on_trace(trace_of(5), {"fcfs", "priority"});
    strict["fit"] = "strict";
    const Json told = answered(strict);
    ASSERT_EQ(told["orders"].size(), 3U) << "another fit is another policy";
    EXPECT_EQ(told["orders"][0]["order"], "priority easy");
}

TEST(WhatIf, ATroubleInTheTraceHasItsPlace) {
    const Json told = answered(on_trace("job_id,submit_s,duration_s,gpus\na,0,1,1\nb,x,1,1\n", {"fcfs"}));
    EXPECT_EQ(told["error"].get<std::string>().find("day.csv:3:3: submit_s is 'x'"), 0U) << told.dump();
    EXPECT_TRUE(told.contains("fix"));
}

TEST(WhatIf, WhatCouldNeverRunIsRefusedWithItsPlace) {
    const Json told = answered(on_trace("job_id,submit_s,duration_s,gpus\nwide,0,1,3\n", {"fcfs"}));
    EXPECT_EQ(told["error"],
              "day.csv:2:10: job 'wide' asks for 3 GPUs, which this cluster can never give with place consolidate");
    Json larger = on_trace("job_id,submit_s,duration_s,gpus\nwide,0,1,3\n", {"fcfs"});
    larger["cluster"] = "1x3";
    EXPECT_FALSE(answered(larger).contains("error"));
    larger["cluster"] = Json{{"nodes", {{{"gpus", 4}}}}};
    EXPECT_EQ(answered(larger)["cluster"]["gpus"], 4);
}

TEST(WhatIf, NamesThatNothingAnswersToAreRefused) {
    EXPECT_EQ(answered(on_trace(trace_of(1), {"lifo"}))["error"], "no order is called 'lifo'");
    Json wrong = on_trace(trace_of(1), {"fcfs"});
    wrong["fit"] = "loose";
    EXPECT_EQ(answered(wrong)["error"], "fit does not know 'loose'");
    wrong = on_trace(trace_of(1), {"fcfs"});
    wrong["cluster"] = "8 by 4";
    EXPECT_TRUE(answered(wrong).contains("error"));
    EXPECT_TRUE(answered(on_trace("job_id,submit_s,duration_s,gpus\n", {"fcfs"})).contains("error")) << "no jobs";
}

TEST(WhatIf, AsManyJobsAsTheLimitAndNotOneMore) {
    EXPECT_FALSE(answered(on_trace(trace_of(50), {"fcfs"}), {.jobs = 50}).contains("error"));
    EXPECT_EQ(answered(on_trace(trace_of(51), {"fcfs"}), {.jobs = 50})["error"],
              "day.csv has 51 jobs, this service simulates at most 50");
}

TEST(WhatIf, TheOrderInForceCountsAmongTheOrders) {
    EXPECT_FALSE(answered(on_trace(trace_of(1), {"fcfs"}), {.orders = 2}).contains("error"));
    EXPECT_EQ(answered(on_trace(trace_of(1), {"fcfs", "sjf"}), {.orders = 2})["error"],
              "2 orders beside the one in force, 'priority': together they may be 2");
}

TEST(WhatIf, WhatTakesTooLongIsBrokenOff) {
    const Json told = answered(on_trace(trace_of(20'000), {"srtf"}), {.work = Duration(1)});
    EXPECT_EQ(told["error"].get<std::string>().find("it took longer than 0.000000001 s, 0 of 2 orders"), 0U);
}

/// The service's thread, as far as a desk knows it.
class Posted {
public:
    std::function<void(std::function<void()>)> post() {
        return [this](std::function<void()> call) {
            const std::lock_guard lock(mutex_);
            calls_.push_back(std::move(call));
            come_.notify_all();
        };
    }
    void run_next() {
        std::unique_lock lock(mutex_);
        come_.wait(lock, [this] { return !calls_.empty(); });
        const auto call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        call();
    }

private:
    std::mutex mutex_;
    std::condition_variable come_;
    std::deque<std::function<void()>> calls_;
};

TEST(Desk, QuestionsAreAnsweredInTheOrderInWhichTheyCame) {
    Posted posted;
    Desk desk({}, posted.post());
    std::string heard;
    for (const char* order : {"fcfs", "sjf", "rr"})
        desk.ask(inquiry(on_trace(trace_of(30), {order})), [&](const Answer& answer) {
            heard += Json::parse(answer.body)["orders"][1]["order"].get<std::string>() + " ";
        });
    for (int i = 0; i < 3; ++i) posted.run_next();
    EXPECT_EQ(heard, "fcfs sjf rr ");
}

TEST(Desk, AsManyInLineAsTheLimitAndNotOneMore) {
    Posted posted;
    Desk desk({.in_line = 2}, posted.post());
    const auto slow = inquiry(on_trace(trace_of(150'000, "100000"), {"fcfs"}));
    desk.ask(slow, [](const Answer&) {});
    EXPECT_FALSE(desk.is_full());
    desk.ask(inquiry(on_trace(trace_of(1), {"fcfs"})), [](const Answer&) {});
    EXPECT_TRUE(desk.is_full());
    slow->is_off = true;
    posted.run_next();
    EXPECT_FALSE(desk.is_full());
}

TEST(Desk, WhoHasGoneIsToldNothingAndHoldsUpNobody) {
    Posted posted;
    Desk desk({}, posted.post());
    const auto gone = inquiry(on_trace(trace_of(150'000, "100000"), {"srtf", "las", "rr", "mlfq"}));
    desk.ask(gone, [](const Answer&) { FAIL() << "nobody is there"; });
    gone->is_off = true;
    bool told = false;
    desk.ask(inquiry(on_trace(trace_of(1), {"fcfs"})), [&](const Answer&) { told = true; });
    posted.run_next();
    EXPECT_TRUE(told);
}

}  // namespace
}  // namespace sy::whatif
