// Models that stay loaded: real runners, in C++ and Python, under a real service.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "service/alive.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

constexpr const char* kModels = R"(
models:
  echo: {command: [EXAMPLE_RUNNER], memory_mb: 10000}
  other: {command: [EXAMPLE_RUNNER], memory_mb: 10000}
  third: {command: [EXAMPLE_RUNNER], memory_mb: 10000}
  python: {command: [python3, SOURCE/examples/runner/echo.py], memory_mb: 10000, env: {LOAD_S: "0.1"}}
  slow: {command: [python3, SOURCE/examples/runner/echo.py], memory_mb: 10000, env: {LOAD_S: "0.5"}}
  broken: {command: [sh, -c, "echo no such weights >&2; exit 3"], memory_mb: 10000}
  missing: {command: [/no/such/program], memory_mb: 10000}
  forker: {command: [sh, -c, "sleep 1000 & echo '{\"ready\":{}}'; cat"], memory_mb: 10000}
size_terms: {atoms: 2}
task_types: {stability: 1.5}
)";

std::string models_file(const std::string& folder) {
    std::string text = kModels;
    for (const auto& [word, value] : {std::pair{std::string("EXAMPLE_RUNNER"), std::string(SWITCHYARD_EXAMPLE_RUNNER)},
                                      std::pair{std::string("SOURCE"), std::string(SWITCHYARD_SOURCE_DIR)}})
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), value);
    const std::string path = folder + "/models.yaml";
    std::ofstream(path) << text;
    return path;
}

class Models {
public:
    explicit Models(unsigned gpus = 1)
        : service(gpus, {"--models-file", models_file(models_folder.path()), "--retry-backoff-seconds", "0"}) {}

    std::uint64_t call(const std::string& model, const Json& input, Json more = Json::object()) const {
        more["model"] = model;
        more["input"] = input;
        const auto response = service.ask("POST", "/api/v1/tasks", more.dump());
        EXPECT_EQ(response->status, 201U) << response->body;
        return response->status == 201 ? Json::parse(response->body)["id"].get<std::uint64_t>() : 0;
    }
    Json answer(const std::string& model, const Json& input) const {
        return service.wait_until(call(model, input), "succeeded");
    }
    Json model(const std::string& name) const {
        const Json all = service.get("/api/v1/models")["models"];
        const auto found = std::find_if(all.begin(), all.end(), [&](const Json& m) { return m["name"] == name; });
        return *found;
    }

    TestFolder models_folder;
    Service service;
};

TEST(Runner, AModelIsLoadedBeforeItIsAskedForAndItsCallsAreCounted) {
    const Models models(2);
    ASSERT_TRUE(models.service.has_all_workers());
    const auto load = models.service.ask("POST", "/api/v1/models/load", R"({"model": "echo", "gpu": 1})");
    ASSERT_EQ(load->status, 202U);
    models.service.wait_until(Json::parse(load->body)["task"], "succeeded");
    EXPECT_EQ(models.model("echo")["gpus"], Json::array({1}));
    EXPECT_EQ(models.model("echo")["calls"], 0) << "loading is no call";
    models.answer("echo", 1);
    models.answer("other", 1);
    models.answer("other", 2);
    EXPECT_EQ(models.model("echo")["hits"], 1);
    EXPECT_EQ(models.model("other")["calls"], 2);
    EXPECT_EQ(models.model("other")["hits"], 1);
    EXPECT_EQ(models.service.ask("POST", "/api/v1/models/load", R"({"model": "nowhere"})")->status, 404U);
    const auto far = models.service.ask("POST", "/api/v1/models/load", R"({"model": "echo", "gpu": 2})");
    EXPECT_EQ(Json::parse(far->body)["error"], "gpu is 2, it must be a number below 2");
}

TEST(Runner, AGpuTellsWhichModelItWouldHaveToLoadNext) {
    const Models models;
    models.answer("other", 1);
    models.answer("python", 1);
    models.call("python", {{"sleep_s", 3}}, {{"estimate_s", 3}});
    models.call("third", 1, {{"estimate_s", 1}});
    Json next;
    for (int i = 0; i < 100 && next.is_null(); ++i) next = models.service.get("/api/v1/gpus")["gpus"][0]["next"];
    EXPECT_EQ(next["model"], "third");
    EXPECT_EQ(next["by"], "forecast");
    EXPECT_NEAR(next["in_s"].get<double>(), 3, 2);
}

TEST(Runner, ACallIsAnsweredAndTheModelStaysLoaded) {
    const Models models;
    const Json first = models.answer("echo", {{"x", 1}});
    EXPECT_EQ(first["output"], Json({{"x", 1}}));
    EXPECT_GT(first["attempts"][0]["load_s"], 0.0);
    const Json second = models.answer("echo", "again");
    EXPECT_EQ(second["output"], "again");
    EXPECT_FALSE(second["attempts"][0].contains("load_s")) << "it was loaded already";
    EXPECT_EQ(models.model("echo")["gpus"], Json::array({0}));
    EXPECT_EQ(models.model("echo")["loads"], 1);
}

TEST(Runner, ACallBehindOneThatTakesLongIsCalledBackAndThatCostsItNothing) {
    const Models models;
    for (int i = 0; i < 3; ++i) models.answer("python", i);  // such calls are short, as far as anybody knows
    models.call("python", {{"sleep_s", 0.8}});
    const std::uint64_t behind = models.call("python", "quick");
    EXPECT_EQ(models.service.wait_until(behind, "queued")["attempts"].size(), 0U)
        << "it was handed out, and taken back";
    const Json done = models.service.wait_until(behind, "succeeded");
    EXPECT_EQ(done["attempts"].size(), 1U);
    EXPECT_EQ(models.service.get(fmt::format("/api/v1/tasks/{}", behind))["output"]["echo"], "quick");
    const std::string metrics = models.service.ask("GET", "/metrics")->body;
    EXPECT_NE(metrics.find("scheduler_schedule_failures{cause=\"lost\"} 0"), std::string::npos) << "nothing was lost";
}

TEST(Runner, TheThirdModelSendsTheOldestAway) {
    const Models models;
    for (const char* model : {"echo", "other", "third"}) models.answer(model, 1);
    EXPECT_TRUE(models.model("echo")["gpus"].empty());
    EXPECT_EQ(models.model("other")["gpus"].size() + models.model("third")["gpus"].size(), 2U);
    EXPECT_TRUE(models.answer("echo", 2)["attempts"][0].contains("load_s"));
}

TEST(Runner, AGangsModelStaysLoadedUntilSomebodyNeedsOneOfItsGpus) {
    const Models models(2);
    const auto both = [&] { return models.service.wait_until(models.call("echo", {}, {{"gpus", 2}}), "succeeded"); };
    both();
    both();
    EXPECT_EQ(models.model("echo")["loads"], 1);
    EXPECT_EQ(models.model("echo")["gpus"], (Json{0, 1}));
    const std::uint64_t whole =
        models.service.submit("true", {{"on", 1}});  // says nothing of memory: may need all of it
    EXPECT_EQ(models.service.wait_until(whole, "succeeded")["attempts"].size(), 1U);
    EXPECT_EQ(models.model("echo")["gpus"], Json::array());
    both();
    EXPECT_EQ(models.model("echo")["loads"], 2);
}

TEST(Runner, TheModelThatComesNextIsLoadedWhileTheCallStillRuns) {
    const Models models;
    const std::uint64_t first = models.call("python", {{"sleep_s", 1.5}}, {{"next_model", "slow"}});
    const std::uint64_t next = models.call("slow", "now");
    models.service.wait_until(first, "succeeded");
    const Json attempt = models.service.wait_until(next, "succeeded")["attempts"][0];
    EXPECT_GE(attempt["load_s"], 0.5) << "that is what it takes";
    EXPECT_EQ(attempt["load_ahead_s"], attempt["load_s"]) << "all of it while the other ran";
    EXPECT_EQ(models.model("slow")["loads"], 1);
}

TEST(Runner, ACallOfAModelThatIsStillLoadedBesideAnotherWaitsOnlyForTheRest) {
    const Models models;
    models.call("python", {{"sleep_s", 0.2}}, {{"next_model", "slow"}});
    const Json attempt = models.service.wait_until(models.call("slow", "now"), "succeeded")["attempts"][0];
    EXPECT_GT(attempt["load_ahead_s"], 0.0);
    EXPECT_LT(attempt["load_ahead_s"], attempt["load_s"]);
}

TEST(Runner, OneThatDiesWhileItIsLoadedBesideACallTakesNothingWithIt) {
    const Models models;
    const std::uint64_t first = models.call("python", {{"sleep_s", 0.5}}, {{"next_model", "broken"}});
    EXPECT_EQ(models.service.wait_until(first, "succeeded")["output"]["echo"], Json({{"sleep_s", 0.5}}));
    const Json broken = models.service.wait_until(models.call("broken", 1), "failed");
    EXPECT_EQ(broken["attempts"][0]["err_tail"], "no such weights\n") << "whoever calls it hears why";
    const auto refused = models.service.ask("POST", "/api/v1/tasks", R"({"model": "python", "next_model": "nobody"})");
    EXPECT_EQ(refused->status, 422U);
    EXPECT_NE(refused->body.find("next_model is 'nobody'"), std::string::npos) << refused->body;
    EXPECT_EQ(models.service.ask("POST", "/api/v1/tasks", R"({"command": ["true"], "next_model": "echo"})")->status,
              422U);
}

TEST(Runner, PythonHelperSpeaksTheSameProtocol) {
    const Models models;
    const Json task = models.answer("python", {{"q", "why"}});
    EXPECT_EQ(task["output"]["echo"], Json({{"q", "why"}}));
    EXPECT_EQ(task["output"]["model"], "python");
    EXPECT_EQ(models.answer("python", 2)["output"]["calls"], 2) << "the same process";
    const std::uint64_t bad = models.call("python", {{"fail", "no such atom"}});
    EXPECT_EQ(models.service.wait_until(bad, "failed")["attempts"][0]["error"], "no such atom");
    EXPECT_EQ(models.answer("python", 3)["output"]["calls"], 4) << "a failed call does not cost the model";
}

TEST(Runner, ACallThatIsCancelledEndsAndTheModelStays) {
    const Models models;
    models.answer("python", 1);
    const std::uint64_t id = models.call("python", {{"sleep_s", 60}});
    models.service.wait_until(id, "running");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    models.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id));
    EXPECT_EQ(models.service.wait_until(id, "cancelled")["state"], "cancelled");
    EXPECT_EQ(models.answer("python", 2)["output"]["calls"], 3);
}

TEST(Runner, OneThatCannotLoadSaysWhy) {
    const Models models;
    const Json broken = models.service.wait_until(models.call("broken", 1), "failed");
    EXPECT_EQ(broken["attempts"][0]["error"], "the runner ended before its model was loaded");
    EXPECT_EQ(broken["attempts"][0]["err_tail"], "no such weights\n");
    const Json missing = models.service.wait_until(models.call("missing", 1), "failed");
    EXPECT_EQ(missing["attempts"][0]["error"], "'/no/such/program' cannot be started: No such file or directory");
}

TEST(Runner, WhoRunsOutOfMemoryAsksForMoreUntilNothingIsLeft) {
    const Models models;
    const Json task = models.service.wait_until(models.call("python", {{"oom", true}}), "failed");
    EXPECT_GT(task["attempts"].size(), 1U);
    EXPECT_GT(task["memory_mb"], 12'000.0);
    EXPECT_GT(models.model("python")["memory_factor"], 1.1);
}

TEST(Runner, AnEstimateComesDownToWhatCallsWereSeenToUse) {
    const Models models;
    const Json typed{{"type", "stability"}};
    std::uint64_t last = 0;
    for (int i = 0; i < 20; ++i) last = models.call("python", {{"peak_memory_mb", 9000}}, typed);
    EXPECT_EQ(models.service.task(last)["memory_mb"], 15'000.0);
    const Json task = models.service.wait_until(last, "succeeded");
    EXPECT_EQ(task["attempts"][0]["gpu_peak_memory_bytes"], 9'000'000'000U);
    EXPECT_NEAR(models.model("python")["memory_factors"]["stability"], 0.6 * 1.2, 1e-9);
    const std::uint64_t next = models.call("python", 1, typed);
    EXPECT_NEAR(models.service.task(next)["memory_mb"], 10'800, 1) << "15,000 less";
    EXPECT_EQ(models.service.task(models.call("python", 1))["memory_mb"], 10'000) << "others as before";
}

TEST(Runner, MemoryIsEstimatedFromModelSizeAndType) {
    const Models models;
    const std::uint64_t id = models.call("echo", 1, {{"type", "stability"}, {"size", {{"atoms", 500}}}});
    EXPECT_EQ(models.service.task(id)["memory_mb"], (10'000 + 2 * 500) * 1.5);
    const auto refused = models.service.ask("POST", "/api/v1/tasks", R"({"model": "echo", "size": {"photons": 1}})");
    EXPECT_EQ(Json::parse(refused->body)["error"], "size is 'photons', this service knows atoms");
    const auto unknown = models.service.ask("POST", "/api/v1/tasks", R"({"model": "gpt", "input": 1})");
    EXPECT_EQ(Json::parse(unknown->body)["error"].get<std::string>().substr(0, 37),
              "model is 'gpt', this service knows br");
}

TEST(Runner, ACommandThatWantsTheWholeGpuGetsIt) {
    const Models models;
    models.answer("echo", 1);
    models.service.wait_until(models.service.submit("true"), "succeeded");
    EXPECT_TRUE(models.model("echo")["gpus"].empty());
    models.answer("echo", 1);
    models.service.wait_until(models.service.submit("true", {{"memory_mb", 1000}}), "succeeded");
    EXPECT_EQ(models.model("echo")["gpus"], Json::array({0})) << "beside one that says how much it needs it may stay";
}

TEST(Runner, ModelsOutliveTheServer) {
    Models models;
    models.answer("python", 1);
    models.service.kill_server(SIGKILL);
    models.service.start();
    EXPECT_EQ(models.answer("python", 2)["output"]["calls"], 2);
}

TEST(Runner, AnOperatorPinsAndUnloads) {
    const Models models;
    models.answer("echo", 1);
    EXPECT_EQ(models.service.ask("POST", "/api/v1/models/pin", R"({"model": "echo"})")->status, 200U);
    EXPECT_EQ(models.model("echo")["pinned"], true);
    for (const char* model : {"other", "third"}) models.answer(model, 1);
    EXPECT_EQ(models.model("echo")["gpus"], Json::array({0})) << "pinned ones go last";
    EXPECT_EQ(models.service.ask("POST", "/api/v1/models/unload", R"({"model": "echo"})")->status, 200U);
    EXPECT_TRUE(models.model("echo")["gpus"].empty());
    EXPECT_EQ(models.service.ask("POST", "/api/v1/models/pin", R"({"model": "nobody"})")->status, 404U);
}

TEST(Runner, WhatARunnerLeavesBehindGoesWithIt) {
    Models models;
    const std::uint64_t id = models.call("forker", 1, {{"timeout_s", 0.3}});
    models.service.wait_until(id, "timed_out");
    models.answer("echo", 1);
    const pid_t worker = models.service.worker(0);
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", worker));
    std::vector<pid_t> keepers;
    for (pid_t pid = 0; children >> pid;) keepers.push_back(pid);
    EXPECT_EQ(keepers.size(), 1U) << "only the one that keeps echo";
}

TEST(Runner, AWorkerThatIsKilledTakesItsModelsWithItAndTheCallRunsAgain) {
    Models models;
    models.answer("python", 1);
    const std::uint64_t id = models.call("python", {{"sleep_s", 0.5}});
    models.service.wait_until(id, "running");
    ::kill(models.service.worker(0), SIGKILL);
    const Json task = models.service.wait_until(id, "succeeded");
    EXPECT_EQ(task["attempts"].size(), 2U);
    EXPECT_EQ(task["output"]["calls"], 1) << "a new process";
}

}  // namespace
}  // namespace sy::service_test
