// A CRITICAL task has a LOW one put aside that can save its work, which goes on later from what it saved (P17a).
#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

/// Works until it is told to save; once something was saved it has nothing more to do.
std::string training(const Service& service, const std::string& saving = "") {
    return "cat $SWITCHYARD_CHECKPOINT/step 2>/dev/null && echo resumed $SWITCHYARD_RESUMED && exit 0\n"
           "trap '" +
           saving + "mkdir -p $SWITCHYARD_CHECKPOINT; echo step 7 > $SWITCHYARD_CHECKPOINT/step; exit 0' USR1\n" +
           "touch " + service.folder() +
           "/at-work\n"
           "while true; do sleep 0.02; done";
}

void wait_for_file(const Service& service, const std::string& name) {
    for (int i = 0; i < 2000 && ::access((service.folder() + "/" + name).c_str(), F_OK) != 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

Json explained(const Service& service, std::uint64_t id) {
    return service.get(fmt::format("/api/v1/tasks/{}/explain", id));
}

const Json kLow{{"priority", "LOW"}, {"checkpoint_signal", "USR1"}, {"checkpoint_grace_s", 10}};
const Json kCritical{{"priority", "CRITICAL"}};

TEST(Preempt, AnUrgentTaskRunsAndTheOtherGoesOnFromWhatItSaved) {
    const Service service(1, {"--preemption", "checkpoint"});
    const std::uint64_t low = service.submit(training(service), kLow);
    wait_for_file(service, "at-work");
    const std::uint64_t urgent = service.submit("sleep 0.1", kCritical);
    EXPECT_EQ(service.wait_until(urgent, "succeeded")["state"], "succeeded");
    const Json task = service.wait_until(low, "succeeded");
    ASSERT_EQ(task["attempts"].size(), 2U);
    EXPECT_EQ(task["attempts"][0]["note"], fmt::format("attempt 1 of task {} void: preempted", low));
    EXPECT_EQ(task["checkpoint_signal"], "USR1");
    EXPECT_EQ(service.ask("GET", fmt::format("/api/v1/tasks/{}/logs", low))->body, "step 7\nresumed 1\n");
    EXPECT_NE(service.ask("GET", "/metrics")->body.find("switchyard_preemptions_total 1\n"), std::string::npos);
}

TEST(Preempt, WhileItSavesItsGpuIsSaidToBeCleared) {
    Service service(1, {"--preemption", "checkpoint"});
    service.submit(training(service, "touch " + service.folder() + "/saving; sleep 3; "), kLow);
    wait_for_file(service, "at-work");
    const std::uint64_t urgent = service.submit("true", kCritical);
    wait_for_file(service, "saving");
    EXPECT_EQ(explained(service, urgent)["cleared_for_it"], Json::array({0}));
    EXPECT_EQ(explained(service, urgent)["gpus"]["being_cleared"], 1);
    service.kill_server(SIGKILL);
    service.start();
    EXPECT_EQ(service.wait_until(urgent, "succeeded")["state"], "succeeded") << "also over a crash of the server";
}

TEST(Preempt, WhoDoesNotSaveInTimeIsEndedLikeAnyOther) {
    const Service service(1, {"--preemption", "checkpoint"});
    Json hasty = kLow;
    hasty["checkpoint_grace_s"] = 0.1;
    const std::string deaf = "trap '' USR1; touch " + service.folder() + "/at-work; sleep 60";
    const std::uint64_t low = service.submit(deaf, hasty);
    wait_for_file(service, "at-work");
    EXPECT_EQ(service.wait_until(service.submit("true", kCritical), "succeeded")["state"], "succeeded");
    EXPECT_EQ(service.wait_until(low, "running")["attempts"].size(), 2U);
}

TEST(Preempt, NobodyIsInterruptedByDefault) {
    const Service service(1);
    service.submit(training(service), kLow);
    wait_for_file(service, "at-work");
    const std::uint64_t urgent = service.submit("true", kCritical);
    EXPECT_EQ(explained(service, urgent)["cleared_for_it"], Json::array());
    EXPECT_EQ(explained(service, urgent)["gpus"]["busy"], 1);
}

TEST(Preempt, OddWishesAreRefused) {
    const Service service(1);
    const auto refusal = [&](const Json& more) {
        Json body{{"command", {"true"}}};
        body.update(more);
        const auto response = service.ask("POST", "/api/v1/tasks", body.dump());
        return Json::parse(response->body).value("error", "");
    };
    EXPECT_EQ(refusal({{"checkpoint_signal", "KILL"}}),
              "checkpoint_signal is \"KILL\", it must be one of USR1, USR2, TERM, INT, HUP, QUIT");
    EXPECT_EQ(refusal({{"checkpoint_signal", "USR1"}, {"checkpoint_grace_s", 3601}}),
              "checkpoint_grace_s is 3601, it must be a number from 0.001 to 3600");
    EXPECT_EQ(refusal({{"checkpoint_grace_s", 5}}), "the task has a checkpoint_grace_s and no checkpoint_signal");
    EXPECT_EQ(refusal({{"checkpoint_signal", "USR1"}, {"at_most_once", true}}),
              "a task that is at_most_once cannot be resumed by checkpoint_signal");
}

}  // namespace
}  // namespace sy::service_test
