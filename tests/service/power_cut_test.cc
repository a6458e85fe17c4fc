// The power goes at every numbered point of the write path, and with it all that was not synced: what was answered is
// there when it comes back (R1, R5). And a sync that fails is the end of the server (R11).
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "service/preloaded.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

/// What a client was told, life after life.
class Client {
public:
    explicit Client(const Service& service) : service_(service) {}

    /// A submission under a key, several at once, a cancel. Ends with the first that is not answered.
    void use_it() {
        const std::string key = fmt::format("key {}", ++keys_);
        const auto one = submit(key);
        if (!one) return;
        known_[*one] = {.key = key, .state = "queued"};
        const auto several = service_.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "array": 3})");
        if (!several || several->status != 201) return;
        const Json answer = Json::parse(several->body);
        for (const Json& placed : answer["tasks"]) known_[placed["id"]] = {.state = "queued"};
        known_[*one].state = "";  // from here on nobody knows
        const auto cancelled = service_.ask("DELETE", fmt::format("/api/v1/tasks/{}", *one));
        if (cancelled && cancelled->status == 202) known_[*one].state = "cancelled";
    }

    /// What is not as it was told.
    std::string complaints() const {
        std::map<std::uint64_t, std::string> states;
        const Json page = service_.get("/api/v1/tasks?limit=100");
        for (const Json& task : page["tasks"]) states[task["id"]] = task["state"];
        std::string all;
        for (const auto& [id, told] : known_) {
            const bool is_so = told.state.empty() ? states.contains(id) : states[id] == told.state;
            if (!is_so) all += fmt::format("task {} was {} and is '{}'\n", id, told.state, states[id]);
            if (!told.key.empty() && submit(told.key) != id)
                all += fmt::format("'{}' is not task {} any more\n", told.key, id);
        }
        return all;
    }
    void forget() { known_.clear(); }
    std::size_t told() const { return known_.size(); }

private:
    struct Told {
        std::string key;
        std::string state;  ///< Empty: nobody knows.
    };

    std::optional<std::uint64_t> submit(const std::string& key) const {
        const auto answer = service_.ask("POST", "/api/v1/tasks", Json{{"command", {"true"}}, {"key", key}}.dump());
        if (!answer || (answer->status != 201 && answer->status != 200)) return std::nullopt;
        return Json::parse(answer->body)["id"];
    }

    const Service& service_;
    std::map<std::uint64_t, Told> known_;
    int keys_ = 0;
};

/// How the server ended, as waitpid has it; 0: it was stopped as usual.
int live_until(Service& service, Client& client, int point, const std::string& leaves) {
    {
        const Preloaded power(POWER_CUT, {{"POWER_CUT_FILES", service.folder() + "/switchyard.db"},
                                          {"POWER_CUT_AT", std::to_string(point)},
                                          {"POWER_CUT_LEAVES", leaves}});
        service.start();
    }
    client.use_it();
    return service.kill_server(SIGTERM);
}

class PowerCut : public testing::TestWithParam<const char*> {};

TEST_P(PowerCut, AtEveryPointWhatWasAnsweredIsThereAfterwards) {
    Service service(0, Service::Later{});
    service.start_with({"--gpus", "none"});
    service.kill_server(SIGKILL);
    Client client(service);
    int points = 0;
    int answered = 0;
    for (bool gone = true; gone; ++points) {
        gone = live_until(service, client, points + 1, GetParam()) != 0;
        service.start();
        ASSERT_EQ(client.complaints(), "") << "cut at " << points + 1 << "\n" << service.file("serve.log");
        answered += client.told() > 0 ? 1 : 0;
        client.forget();
        service.kill_server(SIGKILL);
    }
    EXPECT_GT(points, 30) << "or nothing was cut";
    EXPECT_GT(answered, 10) << "or nothing was told";
}

INSTANTIATE_TEST_SUITE_P(WithWhatIsLeft, PowerCut, testing::Values("all", "none", "7"));

TEST(PowerCut, AnErrorOnASyncEndsTheServerAndNothingAnsweredIsLost) {
    Service service(0, Service::Later{});
    service.start_with({"--gpus", "none"});
    service.kill_server(SIGKILL);
    Client client(service);
    for (const int point : {10, 20, 30}) {
        const int status = live_until(service, client, point, "error");
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status << "\n" << service.file("serve.log");
        service.start();
        ASSERT_EQ(client.complaints(), "") << "sync failed at " << point << "\n" << service.file("serve.log");
        service.kill_server(SIGKILL);
    }
}

}  // namespace
}  // namespace sy::service_test
