// What a command may use, and whom it runs as.
#include <csignal>

#include <gtest/gtest.h>

#include "service/process/account.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

std::string output_of(const Service& service, std::uint64_t id) {
    service.wait_until(id, "succeeded");
    return service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", id))->body;
}

std::string refusal(const Service& service, const Json& more) {
    Json task{{"command", {"true"}}};
    task.update(more);
    const auto response = service.ask("POST", "/api/v1/tasks", task.dump());
    return fmt::format("{} {}", response->status, Json::parse(response->body).value("error", ""));
}

TEST(Limits, ACommandGetsWhatItSaysAndTheServicesLimitsOtherwise) {
    const Service service(1, {"--limit-open-files", "64", "--limit-file-mb", "5"});
    const std::string ask = "ulimit -n; ulimit -f; ulimit -c; ulimit -t";
    EXPECT_EQ(output_of(service, service.submit(ask)), "64\n9765\n0\nunlimited\n");  // in blocks of 512
    const std::uint64_t id = service.submit(ask, {{"limits", {{"open_files", 32}, {"cpu_s", 7}, {"core_mb", 0}}}});
    EXPECT_EQ(output_of(service, id), "32\n9765\n0\n7\n");
    EXPECT_EQ(service.task(id)["limits"],
              (Json{{"by", "rlimit"}, {"cpu_s", 7}, {"open_files", 32}, {"file_mb", 5}, {"core_mb", 0}}));
}

TEST(Limits, WhatGoesBeyondItsLimitEndsAndTheRecordSaysWhich) {
    const Service service(2);
    const std::uint64_t busy = service.submit("while :; do :; done", {{"limits", {{"cpu_s", 1}}}});
    const std::uint64_t writer = service.submit(
        fmt::format("exec head -c 5000000 /dev/zero > {}/big", service.folder()), {{"limits", {{"file_mb", 1}}}});
    const Json attempt = service.wait_until(busy, "failed")["attempts"][0];
    EXPECT_EQ(attempt["signal"], SIGXCPU);
    EXPECT_EQ(attempt["limit"], "cpu_s");
    EXPECT_EQ(service.wait_until(writer, "failed")["attempts"][0]["limit"], "file_mb");
    EXPECT_EQ(service.file("big").size(), 1'000'000U);
}

TEST(Limits, ATaskCannotGainRights) {
    const Service service(1);
    EXPECT_EQ(output_of(service, service.submit("grep NoNewPrivs /proc/self/status")), "NoNewPrivs:\t1\n");
}

TEST(Limits, NonsenseIsRefusedByName) {
    const Service service(1);
    EXPECT_EQ(refusal(service, {{"limits", {{"cpu", 1}}}}), "422 there is no limit 'cpu'");
    EXPECT_EQ(refusal(service, {{"limits", {{"cpu_s", 0}}}}),
              "422 limits.cpu_s is 0, it must be a whole number from 1 to 1000000000");
    EXPECT_EQ(refusal(service, {{"limits", 3}}), "422 limits is 3, it must be a map such as {\"cpu_s\": 600}");
}

/// A service that runs commands as their users; `nobody` stands for one.
class RunAsUser : public testing::Test {
protected:
    void SetUp() override {
        if (::getuid() != 0) GTEST_SKIP() << "only root can become somebody else";
        if (!process::find_account("nobody")) GTEST_SKIP() << "there is no account 'nobody' here";
        service_.emplace(1, std::vector<std::string>{"--run-as-user", "true"});
    }
    std::optional<Service> service_;
};

TEST_F(RunAsUser, ACommandRunsAsWhoHandedItIn) {
    const std::uint64_t id = service_->submit("id -un; id -u; echo $HOME $USER; umask", {{"user", "nobody"}});
    const auto nobody = *process::find_account("nobody");
    EXPECT_EQ(output_of(*service_, id), fmt::format("nobody\n{}\n{} nobody\n0022\n", nobody.uid, nobody.home));
}

TEST_F(RunAsUser, ItKeepsItsCheckpointAndSeesNothingElseOfTheService) {
    const std::string secrets = service_->folder();
    const std::uint64_t id = service_->submit(
        fmt::format(
            "echo saved > $SWITCHYARD_CHECKPOINT/state && cat $SWITCHYARD_CHECKPOINT/state; ls {0} {0}/checkpoints; "
            "cat {0}/switchyard.db; cat {0}/audit.log; ls {0}/logs; true",
            secrets),
        {{"user", "nobody"}});
    EXPECT_EQ(output_of(*service_, id), "saved\n");
    const std::uint64_t other =
        service_->submit(fmt::format("cat {}/checkpoints/{}/state", secrets, id), {{"user", "root"}});
    EXPECT_EQ(output_of(*service_, other), "saved\n");
}

TEST_F(RunAsUser, ItEndsWithItsWorker) {
    const std::uint64_t id = service_->submit("sleep 2", {{"user", "nobody"}});
    service_->wait_until(id, "running");
    ::kill(service_->worker(0), SIGKILL);
    EXPECT_EQ(service_->wait_until(id, "succeeded")["attempts"].size(), 2U);
}

TEST_F(RunAsUser, RootMustBeNamedAndStrangersAreRefused) {
    EXPECT_EQ(refusal(*service_, Json::object()),
              "422 commands run as their user, and yours is root: say it in `user` if this one is to run as root");
    EXPECT_EQ(output_of(*service_, service_->submit("id -u", {{"user", "root"}})), "0\n");
    EXPECT_EQ(
        refusal(*service_, {{"user", "no-such-user"}}),
        "422 user is 'no-such-user': nobody on this machine is called 'no-such-user', and commands run as their user "
        "(run_as_user)");
}

TEST_F(RunAsUser, WhatWasAcceptedBeforeDoesNotBecomeRootUnnamed) {
    service_->kill_server(SIGTERM);
    service_->start_with({});
    ASSERT_EQ(service_->ask("POST", "/api/v1/queue/pause")->status, 202U);
    const std::uint64_t id = service_->submit("id -u");
    service_->kill_server(SIGKILL);
    service_->start_with({"--run-as-user", "true"});
    ASSERT_EQ(service_->ask("POST", "/api/v1/queue/resume")->status, 202U);
    const Json task = service_->wait_until(id, "failed");
    EXPECT_EQ(task["attempts"][0]["error"], "'sh' is not run as root: nobody named it") << task.dump(2);
}

TEST(RunAsSomebodyElse, TakesRoot) {
    if (::getuid() == 0) GTEST_SKIP() << "this is root";
    Service service(1, {"--run-as-user", "true"});
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 2);
}

}  // namespace
}  // namespace sy::service_test
