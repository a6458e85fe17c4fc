// Who changed what, as a real service records it.
#include <cstdlib>

#include <gtest/gtest.h>

#include "service/audit/log.h"
#include "service/auth/token_file.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

/// The lines without their times and hashes.
std::vector<std::string> records(const Service& service) {
    std::stringstream text(service.file("audit.log"));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) {
        const Json json = Json::parse(line);
        all.push_back(fmt::format("{} | {} | {} | {}", json["who"].get<std::string>(), json["what"].get<std::string>(),
                                  json["about"].get<std::string>(), json["status"].get<int>()));
    }
    return all;
}

TEST(AuditLog, HoldsWhatChangesSomethingAndNothingElse) {
    Service service(1);
    const std::string me = fmt::format("uid {}", ::getuid());
    ASSERT_EQ(service.submit("true"), 1U);
    service.get("/api/v1/tasks");
    service.ask("POST", "/api/v1/tasks", "{");
    service.ask("POST", "/api/v1/tasks", R"({"tasks": [{"command": ["true"]}, {"command": ["true"]}]})");
    service.ask("DELETE", "/api/v1/tasks/99");
    service.ask("POST", "/api/v1/queue/pause");
    EXPECT_EQ(records(service),
              (std::vector<std::string>{
                  me + " | POST /api/v1/tasks | task 1 | 201", me + " | POST /api/v1/tasks |  | 400",
                  me + " | POST /api/v1/tasks | tasks 2 to 3 | 201", me + " | DELETE /api/v1/tasks/99 | task 99 | 404",
                  me + " | POST /api/v1/queue/pause |  | 202"}));
    service.kill_server(SIGKILL);
    service.start();
    service.ask("POST", "/api/v1/queue/resume");
    EXPECT_EQ(audit::verify(service.folder() + "/audit.log")->intact, 6U) << "the chain goes on in the next life";
}

TEST(AuditLog, NamesTheTokenAndItsOwnerAndWhatTheyMightNotDo) {
    const Service service(1, {"--listen", "127.0.0.1:0"});
    const auto token = auth::create_token(service.folder() + "/tokens.json", auth::Role::read, "anna", 1, std::nullopt);
    const std::string log = service.file("serve.log");
    const std::size_t at = log.find("http://");
    const std::string address = log.substr(at, log.find('\n', at) - at);
    EXPECT_EQ(http::ask(address, "POST", "/api/v1/queue/pause", "", {.bearer = token->token})->status, 403U);
    EXPECT_EQ(http::ask(address, "POST", "/api/v1/queue/pause")->status, 401U);
    EXPECT_EQ(records(service), (std::vector<std::string>{fmt::format(
                                    "token {} (anna) | POST /api/v1/queue/pause |  | 403", token->record.id)}))
        << "strangers cannot fill it";
    EXPECT_EQ(service.file("audit.log").find(token->token), std::string::npos);
}

TEST(AuditLog, VerifySaysWhereItIsBroken) {
    const Service service(1);
    for (int i = 0; i < 3; ++i) ASSERT_GT(service.submit("true"), 0U);
    const auto verify = [&] {
        const std::string command =
            fmt::format("'{0}' audit verify --folder {1} >{1}/out", SWITCHYARD_BINARY, service.folder());
        return WEXITSTATUS(std::system(command.c_str()));  // NOLINT(concurrency-mt-unsafe): one thread
    };
    EXPECT_EQ(verify(), 0);
    EXPECT_TRUE(service.file("out").starts_with("3 records intact, the last is ")) << service.file("out");
    std::string text = service.file("audit.log");
    text.replace(text.find("task 1"), 6, "task 7");
    std::ofstream(service.folder() + "/audit.log") << text;
    EXPECT_EQ(verify(), 1);
    EXPECT_NE(service.file("out").find("1 records intact, then "), std::string::npos);
    EXPECT_NE(service.file("out").find("audit.log:2: it does not follow from the line before it"), std::string::npos);
}

}  // namespace
}  // namespace sy::service_test
