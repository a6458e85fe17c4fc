#include "service/http/redirect.h"

#include <gtest/gtest.h>

#include "service/http/leader.h"

namespace sy::http {
namespace {

TEST(Redirect, LeadsToTheServerThatIsNamed) {
    EXPECT_EQ(sent_on_to("http://a:1", "http://b:2/api/v1/tasks?x=http://c"), "http://b:2");
    EXPECT_EQ(sent_on_to("https://a", "https://b"), "https://b");
}

TEST(Redirect, IsNotFollowedFromHttpsIntoTheClear) {
    EXPECT_EQ(sent_on_to("https://a:1", "http://b:2/"), "");
    EXPECT_EQ(sent_on_to("http://a:1", "https://b:2/"), "") << "nor elsewhere than was said";
    EXPECT_EQ(sent_on_to("unix:/a/api.sock", "http://b:2/"), "");
}

TEST(Redirect, ToNothingThatIsAServerIsNone) {
    for (const char* location :
         {"", "/api", "http://", "http:///x", "http://a b/", "http://me@b/", "http://b\r\nX: y/"})
        EXPECT_EQ(sent_on_to("http://a:1", location), "") << location;
}

TEST(Leader, IsLookedForAmongServersThatAreNamed) {
    EXPECT_EQ(servers_in("http://a:1,,http://b:2,"), (std::vector<std::string>{"http://a:1", "http://b:2"}));
    EXPECT_EQ(leader_among(servers_in(","), {}).error().fault, Fault::usage);
    const auto odd = leader_among({"http://127.0.0.1:1", "ftp://x"}, {});
    EXPECT_EQ(odd.error().fault, Fault::usage);
    EXPECT_EQ(odd.error().message, "'ftp://x' is no server");
}

TEST(Leader, WhereNobodyAnswersAllAreNamed) {
    const auto none = leader_among({"http://127.0.0.1:1", "http://127.0.0.1:2"}, {});
    EXPECT_EQ(none.error().fault, Fault::unreachable);
    EXPECT_EQ(none.error().message.find("none of http://127.0.0.1:1, http://127.0.0.1:2 answers; "), 0U)
        << none.error().message;
}

}  // namespace
}  // namespace sy::http
