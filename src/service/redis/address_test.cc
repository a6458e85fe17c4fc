#include "service/redis/address.h"

#include <gtest/gtest.h>

namespace sy::redis {
namespace {

TEST(RedisAddress, NamesHostPortAndDatabase) {
    EXPECT_EQ(*parse_address("redis://db.example"), (Address{.host = "db.example"}));
    EXPECT_EQ(*parse_address("redis://127.0.0.1:7000/3"), (Address{.host = "127.0.0.1", .port = 7000, .database = 3}));
    EXPECT_EQ(*parse_address("redis://[::1]:7000"), (Address{.host = "::1", .port = 7000}));
    EXPECT_EQ(*parse_address("unix:///run/redis.sock"), (Address{.path = "/run/redis.sock"}));
}

TEST(RedisAddress, HoldsAUserAndAPasswordAndNeverShowsThem) {
    const auto address = parse_address("redis://anna:p%40ss%3a@h:1");
    ASSERT_TRUE(address);
    EXPECT_EQ(address->user, "anna");
    EXPECT_EQ(address->password, "p@ss:");
    EXPECT_EQ(shown(*address), "redis://h:1");
    EXPECT_EQ(parse_address("redis://anna@h")->user, "anna") << "whose password is told otherwise";
    EXPECT_EQ(parse_address("redis://:secret@h")->user, "");
    EXPECT_EQ(parse_address("unix://:secret@/s")->password, "secret");
}

TEST(RedisAddress, RefusesWhatItCannotRead) {
    for (const char* url :
         {"", "http://h", "redis://", "redis://h:0", "redis://h:65536", "redis://h:12x", "redis://h/x",
          "redis://h/99999", "redis://@h", "redis://a:%4@h", "redis://a:%zz@h", "unix://here"}) {
        const auto address = parse_address(url);
        ASSERT_FALSE(address) << url;
        EXPECT_EQ(address.error().fault, Fault::usage) << url;
    }
    EXPECT_EQ(parse_address("redis://a:secret@h:0").error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace sy::redis
