// Who may do what, asked of a real service over TCP.
#include <cstdlib>

#include <gtest/gtest.h>

#include "service/auth/token_file.h"
#include "service/process/account.h"
#include "service/server/api.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

using auth::Role;

/// A service that listens on TCP, with one token a role.
class Guarded {
public:
    Guarded() : service_(1, {"--listen", "127.0.0.1:0"}) {
        for (const Role role : auth::kRoles)
            tokens_.push_back(
                auth::create_token(service_.folder() + "/tokens.json", role, "anna", 1, std::nullopt)->token);
    }

    std::string address() const {
        const std::string log = service_.file("serve.log");
        const std::size_t at = log.find("http://");
        return log.substr(at, log.find('\n', at) - at);
    }
    const std::string& token(Role role) const { return tokens_.at(static_cast<std::size_t>(role)); }
    http::Response ask(const std::string& method, const std::string& path, const std::string& token) const {
        for (;;) {
            auto response = *http::ask(address(), method, path, "", {.bearer = token, .patience = 300ms});
            if (response.status != 429) return response;  // a test that asks often is told to wait, as anybody is
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }
    const Service& service() const { return service_; }

private:
    Service service_;
    std::vector<std::string> tokens_;
};

std::string header(const http::Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers)
        if (key == name) return value;
    return "";
}

std::string path_of(const server::Route& route) {
    std::string path(route.pattern);
    const std::size_t at = path.find('{');
    if (at != std::string::npos) path.replace(at, path.find('}') + 1 - at, "99");
    return path;
}

TEST(Security, EveryRouteAsksWhoItIsAndWhetherTheyMay) {
    const Guarded guarded;
    for (const server::Route& route : server::Api::routes()) {
        const std::string method(route.method);
        const std::string path = path_of(route);
        if (!route.role) {
            EXPECT_EQ(guarded.ask(method, path, "").status, 200U) << path;
            continue;
        }
        const auto stranger = guarded.ask(method, path, "");
        EXPECT_EQ(stranger.status, 401U) << method << " " << path;
        EXPECT_EQ(header(stranger, "WWW-Authenticate"), "Bearer realm=\"switchyard\"");
        for (const Role role : auth::kRoles) {
            const auto response = guarded.ask(method, path, guarded.token(role));
            EXPECT_EQ(response.status == 403, !auth::may(role, *route.role))
                << method << " " << path << " " << name_of(role);
            EXPECT_NE(response.status, 401U);
            const bool named =
                response.body.find(fmt::format("the role {}", name_of(*route.role))) != std::string::npos;
            EXPECT_EQ(named, !auth::may(role, *route.role));
        }
    }
}

TEST(Security, AVerbThatAPathDoesNotKnowIsNotAllowed) {
    const Guarded guarded;
    for (const server::Route& route : server::Api::routes())
        for (const char* verb : {"BREW", "PATCH", "OPTIONS"}) {
            EXPECT_EQ(guarded.ask(verb, path_of(route), "").status, 401U);
            const auto response = guarded.ask(verb, path_of(route), guarded.token(Role::read));
            EXPECT_EQ(response.status, 405U) << verb << " " << route.pattern;
            EXPECT_NE(header(response, "Allow").find(route.method), std::string::npos);
        }
    EXPECT_EQ(header(guarded.ask("PUT", "/api/v1/tasks/7", guarded.token(Role::read)), "Allow"), "GET, DELETE");
    EXPECT_EQ(guarded.ask("GET", "/secret", "").status, 401U) << "who is unknown learns not even what is not there";
    EXPECT_EQ(guarded.ask("GET", "/secret", guarded.token(Role::read)).status, 404U);
    EXPECT_EQ(guarded.ask("GET", "/api/v1/tasks/x", guarded.token(Role::read)).status, 404U);
}

/// The status of handing in a task on that account, and whose it then is.
std::string hand_in(const Guarded& guarded, const std::string& token, const Json& more) {
    Json task{{"command", {"true"}}};
    task.update(more);
    const auto response = http::ask(guarded.address(), "POST", "/api/v1/tasks", task.dump(), {.bearer = token});
    const Json said = Json::parse(response->body);
    if (response->status != 201) return fmt::format("{} {}", response->status, said.value("error", ""));
    return "201 " + guarded.service().task(said["id"]).value("user", "");
}

TEST(Security, ATaskIsHandedInOnItsOwnersAccount) {
    const Guarded guarded;
    const std::string& anna = guarded.token(Role::submit);
    EXPECT_EQ(hand_in(guarded, anna, Json::object()), "201 anna");
    EXPECT_EQ(hand_in(guarded, anna, {{"user", "anna"}}), "201 anna");
    EXPECT_EQ(hand_in(guarded, anna, {{"user", "ben"}}), "403 user is 'ben', you may hand in for 'anna' alone");
    EXPECT_EQ(hand_in(guarded, guarded.token(Role::operate), {{"user", "ben"}}).substr(0, 3), "403");
    EXPECT_EQ(hand_in(guarded, guarded.token(Role::admin), {{"user", "ben"}}), "201 ben");
}

TEST(Security, AnothersWorkIsNotRequeued) {
    const Guarded guarded;
    const std::uint64_t id = guarded.service().submit("false", {{"user", "ben"}});
    guarded.service().wait_until(id, "failed");
    const std::string path = fmt::format("/api/v1/tasks/{}/requeue", id);
    EXPECT_EQ(guarded.ask("POST", path, guarded.token(Role::submit)).status, 403U);
    EXPECT_EQ(guarded.ask("POST", path, guarded.token(Role::admin)).status, 201U);
}

TEST(Security, OverTheSocketTheKernelSaysWhoseATaskIs) {
    const Service service(1);
    EXPECT_EQ(service.task(service.submit("true"))["user"], process::account_name(::getuid()));
    EXPECT_EQ(service.task(service.submit("true", {{"user", "ben"}}))["user"], "ben");
}

TEST(Security, TheSocketInTheFolderNeedsNoToken) {
    const Guarded guarded;
    EXPECT_GT(guarded.service().submit("true"), 0U);
}

TEST(Security, GuessingIsSlowedDown) {
    const Guarded guarded;
    unsigned slowed = 0;
    for (int i = 0; i < 30; ++i) {
        const auto response = *http::ask(guarded.address(), "GET", "/api/v1/tasks", "", {.bearer = "sy_guess"});
        if (response.status != 429) continue;
        ++slowed;
        EXPECT_EQ(header(response, "Retry-After"), "1");
    }
    EXPECT_GT(slowed, 0U);
    EXPECT_EQ(http::ask(guarded.address(), "GET", "/api/v1/tasks", "", {.bearer = guarded.token(Role::read)})->status,
              200U);
}

TEST(Security, WithoutTokensOnlyTheLoopbackIsListenedOn) {
    Service service(1, {"--listen", "0.0.0.0:0"});
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 2);
    EXPECT_NE(service.file("serve.log").find("can be reached from outside, and there are no tokens"),
              std::string::npos);
    ASSERT_TRUE(auth::create_token(service.folder() + "/tokens.json", Role::read, "anna", 1, std::nullopt));
    service.start();
    EXPECT_EQ(service.ask("GET", "/readyz")->status, 200U);
    EXPECT_NE(service.file("serve.log").find("and http://0.0.0.0:"), std::string::npos);
}

TEST(Security, ANamedFileOfTokensMustBeThere) {
    Service service(1, {"--listen", "127.0.0.1:0", "--tokens-file", "/nonexistent/tokens.json"});
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 3);
}

TEST(Security, CommandsShowTheTokenInAFile) {
    const Guarded guarded;
    const std::string folder = guarded.service().folder();
    const auto run = [&](const std::string& arguments) {
        const std::string command =
            fmt::format("timeout 30 '{}' {} >{}/out 2>{}/err", SWITCHYARD_BINARY, arguments, folder, folder);
        return WEXITSTATUS(std::system(command.c_str()));  // NOLINT(concurrency-mt-unsafe): one thread
    };
    ASSERT_EQ(run(fmt::format("token create --folder {} --role operate --owner ben --expires 1d", folder)), 0);
    std::ofstream(folder + "/ben.token") << guarded.service().file("out");
    const std::string there = fmt::format("--server {} ", guarded.address());
    EXPECT_EQ(run("queue " + there), 1);
    EXPECT_NE(guarded.service().file("err").find("this needs a token"), std::string::npos);
    EXPECT_EQ(run("queue pause " + there + "--token-file " + folder + "/ben.token"), 0);
    EXPECT_EQ(run("queue " + there + "--token-file " + folder + "/tokens.json"), 3) << "that is the server's";
    EXPECT_EQ(run("config show --running " + there), 1);
    ASSERT_EQ(run("config show --running --json " + there + "--token-file " + folder + "/ben.token"), 0);
    EXPECT_EQ(Json::parse(guarded.service().file("out"))["folder"], folder) << "of the one that runs";
    ASSERT_EQ(run(fmt::format("token list --json --folder {}", folder)), 0);
    const Json tokens = Json::parse(guarded.service().file("out"))["tokens"];
    ASSERT_EQ(tokens.size(), 6U);
    EXPECT_EQ(tokens[5]["owner"], "ben");
    ASSERT_EQ(run(fmt::format("token revoke {} --folder {}", tokens[5]["id"].get<std::string>(), folder)), 0);
    EXPECT_EQ(run("queue " + there + "--token-file " + folder + "/ben.token"), 1);
    EXPECT_EQ(run("allocate slurm --gpus 1 --time 60 " + there + "--token-file " + folder + "/ben.token"), 1);
    EXPECT_NE(guarded.service().file("err").find("--token-file wants a token of the role operate"), std::string::npos)
        << "before any job is asked for: " << guarded.service().file("err");
    EXPECT_EQ(run(fmt::format("token create --role submit --folder {}", folder)), 2);
    EXPECT_EQ(run(fmt::format("token create --role submit --owner x --expires soon --folder {}", folder)), 2);
}

TEST(Security, NothingTheServiceWritesHoldsAToken) {
    const Guarded guarded;
    const std::string& secret = guarded.token(Role::admin);
    EXPECT_EQ(guarded.ask("POST", "/api/v1/queue/pause", secret).status, 202U);
    EXPECT_EQ(guarded.ask("GET", "/api/v1/nothing", secret).status, 404U);
    guarded.ask("GET", "/api/v1/tasks", secret + "0");
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(guarded.service().folder())) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(text.find(secret.substr(3)), std::string::npos) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 4U);
}

TEST(OpenApi, HasEveryRouteWithItsRole) {
    const Service service(1);
    const Json document = service.get("/openapi.json");
    ASSERT_TRUE(document.is_object());
    EXPECT_EQ(document["openapi"], "3.1.0");
    std::size_t operations = 0;
    for (const auto& [path, methods] : document["paths"].items()) operations += methods.size();
    EXPECT_EQ(operations, server::Api::routes().size());
    for (const server::Route& route : server::Api::routes()) {
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const Json& operation = document["paths"][std::string(route.pattern)][method];
        EXPECT_EQ(operation["summary"], route.summary);
        const Json wanted =
            route.role ? Json::parse(fmt::format(R"([{{"token": ["{}"]}}])", name_of(*route.role))) : Json::array();
        EXPECT_EQ(operation["security"], wanted) << route.pattern;
    }
}

TEST(Security, TheConfigurationIsShownWithItsOriginsAndNoSecrets) {
    const Service service(1, {"--max-retries", "7"});
    const Json config = service.get("/api/v1/config");
    EXPECT_EQ(config["max_retries"]["value"], 7);
    EXPECT_EQ(config["max_retries"]["origin"], "flag --max-retries");
    EXPECT_EQ(config["order"]["origin"], "default");
    EXPECT_EQ(config.size(), input::config_keys().size());
}

}  // namespace
}  // namespace sy::service_test
