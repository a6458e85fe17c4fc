#include "service/server/route.h"

#include <gtest/gtest.h>

namespace sy::server {
namespace {

const std::vector<Route>& routes() {
    static const std::vector<Route> kRoutes{
        {"GET", "/tasks/{id}", {}, "", nullptr},
        {"DELETE", "/tasks/{id}", {}, "", nullptr},
        {"GET", "/tasks/{id}/logs", {}, "", nullptr},
        {"GET", "/files/{name}", {}, "", nullptr},
        {"GET", "/files/{name}/content", {}, "", nullptr},
        {"GET", "/models/{rest}", {}, "", nullptr},
        {"GET", "/models", {}, "", nullptr},
    };
    return kRoutes;
}

std::string found(std::string_view path, std::string_view method = "GET") {
    const Matched matched = match(routes(), method, path);
    if (matched.route == nullptr) return "nothing, " + (matched.allowed.empty() ? "unknown" : matched.allowed);
    return std::string(matched.route->pattern) + " " + matched.name +
           (matched.task == TaskId() ? "" : std::to_string(matched.task.value()));
}

TEST(Route, ANumberIsANumberAndNothingElse) {
    EXPECT_EQ(found("/tasks/7"), "/tasks/{id} 7");
    EXPECT_EQ(found("/tasks/7/logs"), "/tasks/{id}/logs 7");
    for (const char* path : {"/tasks/x", "/tasks/7x", "/tasks/", "/tasks/-7", "/tasks/7/", "/tasks/7/logs/8"})
        EXPECT_EQ(found(path), "nothing, unknown") << path;
    EXPECT_EQ(found("/tasks/7", "PUT"), "nothing, GET, DELETE");
}

TEST(Route, ANameEndsAtTheNextSlash) {
    EXPECT_EQ(found("/files/file-1:a b"), "/files/{name} file-1:a b");
    EXPECT_EQ(found("/files/7/content"), "/files/{name}/content 7");
    for (const char* path : {"/files/", "/files//content", "/files/a/b", "/files/a/content/"})
        EXPECT_EQ(found(path), "nothing, unknown") << path;
}

TEST(Route, TheRestIsAllThatFollows) {
    EXPECT_EQ(found("/models/org/model:7b"), "/models/{rest} org/model:7b");
    EXPECT_EQ(found("/models/{rest}"), "/models/{rest} {rest}");
    EXPECT_EQ(found("/models/{x"), "/models/{rest} {x");
    EXPECT_EQ(found("/models"), "/models ");
    EXPECT_EQ(found("/models/"), "nothing, unknown");
}

}  // namespace
}  // namespace sy::server
