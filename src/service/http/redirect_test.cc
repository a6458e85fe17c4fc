#include "service/http/redirect.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sy::http
