#include "service/whatif/wish.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sy::whatif {
namespace {

using Json = nlohmann::ordered_json;

Json live(std::size_t orders = 1) {
    Json names = Json::array();
    for (std::size_t i = 0; i < orders; ++i) names.push_back("order" + std::to_string(i));
    return {{"live", true}, {"orders", names}};
}

std::string refusal(const Json& json) {
    const auto wish = read_wish(json.dump(), {});
    return wish ? "" : wish.error().message;
}

TEST(Wish, WhatIsNotSaidHasADefault) {
    const auto wish = read_wish(R"({"live": true, "orders": ["fcfs", "sjf"]})", {});
    ASSERT_TRUE(wish);
    EXPECT_TRUE(wish->live);
    EXPECT_EQ(wish->orders, (std::vector<std::string>{"fcfs", "sjf"}));
    EXPECT_EQ(wish->fit, "");
    EXPECT_EQ(wish->place, "consolidate");
    EXPECT_EQ(wish->cluster, "");
}

TEST(Wish, ATraceComesWithItsNameAndACluster) {
    const auto wish = read_wish(
        R"({"trace": "job_id\n", "name": "day.csv", "orders": ["rr"], "fit": "skip", "place": "count", "cluster": "4x8"})",
        {});
    ASSERT_TRUE(wish);
    EXPECT_EQ(wish->trace, "job_id\n");
    EXPECT_EQ(wish->name, "day.csv");
    EXPECT_EQ(wish->cluster, "4x8");
}

TEST(Wish, WhatBreaksARuleIsRefusedByName) {
    EXPECT_EQ(refusal(Json::array()), "the body must be a map in JSON");
    EXPECT_EQ(refusal({{"live", true}}), "orders are missing");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}}), "neither trace nor live is given");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}, {"live", false}}), "neither trace nor live is given");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}, {"live", true}, {"trace", ""}}), "both trace and live are given");
    EXPECT_EQ(refusal({{"orders", {"fcfs", "fcfs"}}, {"live", true}}), "orders has 'fcfs' twice");
    EXPECT_EQ(refusal({{"orders", {1}}, {"live", true}}), "orders must be a list of 1 to 16 names");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}, {"live", "yes"}}), "live must be true or false");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}, {"live", true}, {"cluster", 8}}),
              "cluster must be a text such as \"4x8\", or a map with nodes");
    EXPECT_EQ(refusal({{"orders", {"fcfs"}}, {"live", true}, {"order", "x"}}), "a simulation has no field 'order'");
}

TEST(Wish, AsManyOrdersAsTheLimitAndNotOneMore) {
    const Limits limits;
    EXPECT_EQ(refusal(live(limits.orders)), "");
    EXPECT_EQ(refusal(live(limits.orders + 1)), "orders must be a list of 1 to 16 names");
}

TEST(Wish, NamesAreAsLongAsTheLimitAndNotOneByteMore) {
    Json json = live();
    json["name"] = std::string(200, 'n');
    EXPECT_EQ(refusal(json), "");
    json["name"] = std::string(201, 'n');
    EXPECT_EQ(refusal(json), "name must have 1 to 200 bytes");
}

TEST(Wish, ARequestForTheLiveQueueIsSmall) {
    const Limits limits;
    const std::string body = live().dump();
    EXPECT_TRUE(read_wish(body + std::string(limits.small_body - body.size(), ' '), limits));
    EXPECT_FALSE(read_wish(body + std::string(limits.small_body - body.size() + 1, ' '), limits));
}

}  // namespace
}  // namespace sy::whatif
