#include "service/store/documents.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "service/redis_server.h"
#include "service/test_folder.h"

namespace sy::store {
namespace {

using Names = std::vector<std::string>;

/// What both kinds must do.
void expect_to_keep(Documents& documents) {
    EXPECT_EQ(*documents.read("runs/1/order.json"), std::nullopt);
    EXPECT_TRUE(documents.names("runs/")->empty());
    const std::string odd("{\"a\": \"\0\xff\"}\n", 12);
    ASSERT_TRUE(documents.write("runs/1/order.json", "one"));
    ASSERT_TRUE(documents.write("runs/1/order.json", odd));
    ASSERT_TRUE(documents.write("runs/10/order.json", "ten"));
    ASSERT_TRUE(documents.write("pipelines.json", "[]"));
    EXPECT_EQ(*documents.read("runs/1/order.json"), odd) << "the last one counts";
    EXPECT_EQ(*documents.names("runs/"), (Names{"runs/1/order.json", "runs/10/order.json"}));
}

TEST(Documents, AreKeptInAFolder) {
    const service_test::TestFolder folder;
    expect_to_keep(*documents_in(folder.path()));
    EXPECT_EQ(**documents_in(folder.path())->read("pipelines.json"), "[]") << "by whoever looks there next";
}

TEST(Documents, AreKeptInRedisForTheNextLeader) {
    const service_test::RedisServer server;
    auto first = *Leadership::open(server.place(), {.address = "a", .lease = 60s});
    ASSERT_EQ(*first.take(), Try::taken);
    const auto of_first = *documents_in(server.place(), first.term());
    expect_to_keep(*of_first);
    ASSERT_TRUE(first.give_up());
    auto second = *Leadership::open(server.place(), {.address = "b", .lease = 60s});
    ASSERT_EQ(*second.take(), Try::taken);
    const auto of_second = *documents_in(server.place(), second.term());
    EXPECT_EQ(**of_second->read("pipelines.json"), "[]");
    const auto late = of_first->write("pipelines.json", "of a deposed leader");
    ASSERT_FALSE(late);
    EXPECT_NE(late.error().message.find("another server leads"), std::string::npos) << late.error().message;
    EXPECT_EQ(**of_second->read("pipelines.json"), "[]");
    ASSERT_TRUE(of_second->write("pipelines.json", "[1]"));
}

}  // namespace
}  // namespace sy::store
