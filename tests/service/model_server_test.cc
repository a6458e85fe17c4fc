// Models that are served over HTTP: a real service, real workers, and servers in Python that behave, or do not.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "service/alive.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

constexpr const char* kModels = R"(
most_sleeping: 2
models:
  echo:
    server: [python3, EXAMPLE, --port, "${PORT}"]
    memory_mb: 10000
    aliases: [gpt-4o-mini]
    env: {LOAD_S: "0.1"}
  slow: {server: [python3, EXAMPLE, --port, "${PORT}"], memory_mb: 10000, env: {LOAD_S: "60"}}
)";

/// A model that misbehaves.
std::string odd(const std::string& way, const std::string& more = "") {
    return fmt::format("  {}: {{server: [python3, ODD, {}, \"${{PORT}}\"], memory_mb: 10000{}}}\n", way, way, more);
}

std::string sleeper(const std::string& name) {
    return fmt::format(
        "  {}: {{server: [python3, EXAMPLE, --port, \"${{PORT}}\"], memory_mb: 10000, when_unused: offload, "
        "sleep: {{path: \"/sleep?level=1\", wake: /wake_up}}, env: {{LOAD_S: \"0.3\"}}}}\n",
        name);
}

std::string models_file(const std::string& folder) {
    std::string text = kModels;
    for (const char* name : {"ann", "ben", "cat", "dan", "eve"}) text += sleeper(name);
    for (const char* way : {"garbage", "huge", "large", "dies", "hangs-up", "oom", "hangs", "ends", "forks"})
        text += odd(way);
    for (const char* way : {"never", "deaf"}) text += odd(way, ", start_timeout_s: 0.5");
    text += odd("uneasy", ", when_unused: offload, sleep: {path: /sleep, wake: /wake_up}");
    const std::string source = SWITCHYARD_SOURCE_DIR;
    for (const auto& [word, value] :
         {std::pair<std::string, std::string>{"EXAMPLE", source + "/examples/runner/openai_server.py"},
          {"ODD", source + "/tests/service/odd_server.py"}})
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
            text.replace(at, word.size(), value);
    const std::string path = folder + "/models.yaml";
    std::ofstream(path) << text;
    return path;
}

class Served {
public:
    explicit Served(unsigned gpus = 1)
        : service(gpus, {"--models-file", models_file(models_folder.path()), "--retry-backoff-seconds", "0",
                         "--max-models-per-gpu", "1"}) {}

    std::uint64_t call(const std::string& model, const Json& input, Json more = Json::object()) const {
        more["model"] = model;
        more["input"] = input;
        const auto response = service.ask("POST", "/api/v1/tasks", more.dump());
        EXPECT_EQ(response->status, 201U) << response->body;
        return response->status == 201 ? Json::parse(response->body)["id"].get<std::uint64_t>() : 0;
    }
    static Json chat(const std::string& text) { return {{"messages", {{{"role", "user"}, {"content", text}}}}}; }
    /// The end of a chat of one message.
    Json ended(const std::string& model, const std::string& state = "succeeded") const {
        return service.wait_until(call(model, chat("one two three")), state);
    }
    Json model(const std::string& name) const {
        const Json all = service.get("/api/v1/models")["models"];
        const auto found = std::find_if(all.begin(), all.end(), [&](const Json& m) { return m["name"] == name; });
        return *found;
    }
    static std::string said(const Json& task) { return task["output"]["choices"][0]["message"]["content"]; }
    static std::string process(const Json& task) { return task["output"]["system_fingerprint"]; }
    static std::string error(const Json& task) { return task["attempts"].back().value("error", ""); }
    /// Processes that its worker keeps.
    std::vector<pid_t> keepers() const {
        std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", service.worker(0)));
        std::vector<pid_t> pids;
        for (pid_t pid = 0; children >> pid;) pids.push_back(pid);
        return pids;
    }

    TestFolder models_folder;
    Service service;
};

TEST(ModelServer, ACallIsARequestAndTheModelStaysLoaded) {
    const Served served;
    const Json first = served.ended("echo");
    EXPECT_EQ(Served::said(first), "one two three") << first.dump(2);
    EXPECT_GE(first["attempts"][0]["load_s"], 0.1);
    const Json second = served.ended("gpt-4o-mini");
    EXPECT_EQ(second["model"], "echo") << "an alias means the same model";
    EXPECT_EQ(second["output"]["model"], "echo") << "and the server is asked for it by its own name";
    EXPECT_EQ(Served::process(second), Served::process(first));
    EXPECT_FALSE(second["attempts"][0].contains("load_s"));
    EXPECT_EQ(served.model("echo")["runner"], "server");
    EXPECT_EQ(served.model("echo")["loads"], 1);
    const std::string log =
        served.service.ask("GET", fmt::format("/api/v1/tasks/{}/logs?stream=err", first["id"].get<int>()))->body;
    EXPECT_NE(log.find("loading echo"), std::string::npos) << log;
}

TEST(ModelServer, APathIsAskedForAndARefusalKeepsItsStatusAndReason) {
    const Served served;
    const Json input{{"path", "/v1/embeddings"}, {"body", {{"input", {"a", "b"}}}}};
    const Json done = served.service.wait_until(served.call("echo", input), "succeeded");
    EXPECT_EQ(done["output"]["data"].size(), 2U);
    const Json refused = served.service.wait_until(served.call("echo", {{"prompt", 1}}), "failed");
    EXPECT_EQ(Served::error(refused), "messages must be a list of at least one message");
    EXPECT_EQ(refused["attempts"][0]["http_status"], 400);
    const Json lost = served.service.wait_until(served.call("echo", {{"path", "/v1/none"}}), "failed");
    EXPECT_EQ(lost["attempts"][0]["http_status"], 404);
    const Json odd = served.service.wait_until(served.call("echo", {{"path", "/a\r\nHost: b"}}), "failed");
    EXPECT_EQ(odd["attempts"][0]["http_status"], 400);
    EXPECT_EQ(served.model("echo")["loads"], 1) << "a refusal does not cost the model";
}

TEST(ModelServer, AStreamIsKeptAsTheDocumentsThatCame) {
    const Served served;
    Json body = Served::chat("one two three");
    body["stream"] = true;
    const Json done = served.service.wait_until(served.call("echo", body), "succeeded");
    std::string text;
    for (const Json& piece : done["output"]["stream"]) text += piece["choices"][0]["delta"].value("content", "");
    EXPECT_EQ(text, "one two three") << done.dump(2);
    EXPECT_EQ(done["output"]["stream"].back()["choices"][0]["finish_reason"], "stop");
}

TEST(ModelServer, OneThatHasToLeaveSleepsAndIsWokenFasterThanLoaded) {
    const Served served;
    const Json first = served.ended("ann");
    served.ended("ben");
    EXPECT_EQ(served.model("ann")["asleep"], Json::array({0}));
    EXPECT_TRUE(served.model("ann")["gpus"].empty());
    const Json again = served.ended("ann");
    EXPECT_EQ(Served::process(again), Served::process(first)) << "the same process";
    EXPECT_FALSE(again["attempts"][0].contains("load_s"));
    EXPECT_GE(again["attempts"][0]["wake_s"], 0.05);
    const Json ann = served.model("ann");
    EXPECT_EQ(ann["loads"], 1);
    EXPECT_EQ(ann["wakes"], 1);
    EXPECT_EQ(ann["sleeps"], 1);
    EXPECT_GT(ann["load_p50_s"], ann["wake_p50_s"]);
    EXPECT_GT(ann["sleep_p50_s"], 0.0);
    EXPECT_TRUE(ann["asleep"].empty());
    EXPECT_EQ(served.model("ben")["asleep"], Json::array({0}));
}

TEST(ModelServer, TheLongestAsleepEndsWhereTooManySleep) {
    const Served served;
    for (const char* model : {"ann", "ben", "cat", "dan"}) served.ended(model);
    EXPECT_EQ(served.keepers().size(), 3U) << "one awake, two asleep";
    EXPECT_TRUE(served.model("ann")["asleep"].empty());
    EXPECT_EQ(served.model("ben")["asleep"], Json::array({0}));
    EXPECT_EQ(served.model("cat")["asleep"], Json::array({0}));
    EXPECT_TRUE(served.ended("ann")["attempts"][0].contains("load_s"));
}

TEST(ModelServer, SleepersOutliveTheServerAndDieWithTheirWorker) {
    Served served;
    const Json first = served.ended("ann");
    served.ended("ben");
    served.service.kill_server(SIGKILL);
    served.service.start();
    EXPECT_EQ(Served::process(served.ended("ann")), Served::process(first));
    const std::vector<pid_t> keepers = served.keepers();
    ASSERT_EQ(keepers.size(), 2U);
    const pid_t process = std::stoi(Served::process(first).substr(4));
    ASSERT_TRUE(is_alive(process));
    ::kill(served.service.worker(0), SIGKILL);
    EXPECT_NE(Served::process(served.ended("ann")), Served::process(first));
    EXPECT_FALSE(is_alive(process));
    for (const pid_t keeper : keepers) EXPECT_FALSE(is_alive(keeper));
}

TEST(ModelServer, OneThatDoesNotWakeIsLoadedAnew) {
    const Served served;
    served.service.wait_until(served.call("uneasy", 1, {{"load_only", true}}), "succeeded");
    served.ended("echo");
    EXPECT_EQ(served.model("uneasy")["asleep"], Json::array({0}));
    const Json task = served.service.wait_until(served.call("uneasy", 1, {{"load_only", true}}), "succeeded");
    EXPECT_TRUE(task["attempts"][0].contains("load_s")) << task.dump(2);
    EXPECT_FALSE(task["attempts"][0].contains("wake_s"));
}

TEST(ModelServer, OneThatNeverBecomesHealthySaysWhatItWasAsked) {
    const Served served;
    const Json never = served.ended("never", "failed");
    EXPECT_EQ(Served::error(never),
              "the server of model 'never' was not ready within 0.5 s (/health answered with 503)");
    const Json deaf = served.ended("deaf", "failed");
    EXPECT_EQ(Served::error(deaf),
              "the server of model 'deaf' was not ready within 0.5 s (it cannot be reached: Connection refused)");
    EXPECT_EQ(deaf["attempts"][0]["err_tail"], "still loading\n");
    const Json ends = served.ended("ends", "failed");
    EXPECT_EQ(Served::error(ends),
              "the server of model 'ends' ended before it was ready; it last wrote: no such file: weights.gguf");
    EXPECT_EQ(Served::said(served.ended("echo")), "one two three") << "other work goes on";
    EXPECT_EQ(served.keepers().size(), 1U);
}

TEST(ModelServer, AnAnswerThatIsNoneFailsItsCallClearly) {
    const Served served;
    EXPECT_EQ(Served::error(served.ended("garbage", "failed")),
              "the server of model 'garbage' gave no answer: what it sent is not HTTP: 'SSH-2.0-OpenSSH_9.2p1 Debian'");
    EXPECT_EQ(Served::error(served.ended("huge", "failed")),
              "the server of model 'huge' gave no answer: its answer has more than 100000000 bytes, the limit");
    EXPECT_EQ(Served::error(served.ended("large", "failed")),
              "the answer has 2000002 bytes, at most 1048576 are kept: ask for less, or for a stream");
    EXPECT_EQ(Served::error(served.ended("hangs-up", "failed")),
              "the server of model 'hangs-up' gave no answer: it hung up in the middle of its answer");
    EXPECT_EQ(served.model("hangs-up")["gpus"], Json::array({0})) << "it lives";
    EXPECT_EQ(Served::error(served.ended("dies", "failed")),
              "the server of model 'dies' ended in the middle of the call; it last wrote: Segmentation fault");
    EXPECT_TRUE(served.model("dies")["gpus"].empty());
    EXPECT_EQ(Served::said(served.ended("echo")), "one two three");
}

TEST(ModelServer, WordsOfMemoryOnItsErrorsCount) {
    const Served served;
    const Json task = served.ended("oom", "failed");
    EXPECT_GT(task["attempts"].size(), 1U) << "it was tried again with more";
    EXPECT_EQ(Served::error(task), "EngineCore encountered an issue");
    EXPECT_EQ(task["attempts"][0]["http_status"], 500);
}

TEST(ModelServer, ACallThatIsCancelledHangsUpAndTheModelStays) {
    const Served served;
    const std::uint64_t id = served.call("hangs", 1);
    while (served.model("hangs")["loads"] == 0 && served.service.task(id)["state"] != "running") continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    served.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id));
    EXPECT_EQ(served.service.wait_until(id, "cancelled")["state"], "cancelled");
    EXPECT_EQ(served.keepers().size(), 1U);
}

TEST(ModelServer, ALoadThatNobodyWaitsForIsEnded) {
    const Served served;
    const std::uint64_t id = served.call("slow", 1);
    served.service.wait_until(id, "running");
    while (served.keepers().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    served.service.ask("DELETE", fmt::format("/api/v1/tasks/{}", id));
    EXPECT_EQ(served.service.wait_until(id, "cancelled", std::chrono::seconds(3))["state"], "cancelled");
    EXPECT_TRUE(served.keepers().empty());
    EXPECT_TRUE(served.model("slow")["gpus"].empty());
    EXPECT_EQ(Served::said(served.ended("echo")), "one two three") << "its GPU is free";
}

TEST(ModelServer, AFileOfLlamaSwapIsACatalogue) {
    const TestFolder folder;
    const std::string path = folder.path() + "/llama-swap.yaml";
    std::ofstream(path) << "healthCheckTimeout: 20\n"
                           "macros: {server: \"python3 " SWITCHYARD_SOURCE_DIR
                           "/examples/runner/openai_server.py\"}\n"
                           "models:\n"
                           "  tiny:\n"
                           "    cmd: |\n"
                           "      # a comment\n"
                           "      ${server}\n"
                           "      --port ${PORT}\n"
                           "    env: [\"LOAD_S=0.1\"]\n"
                           "    aliases: [small]\n"
                           "    ttl: 60\n"
                           "    metadata: {switchyard: {memory_mb: 3000}}\n";
    const Service service(1, {"--models-file", path});
    const Json task{{"model", "small"}, {"input", Served::chat("it just works")}};
    const auto response = service.ask("POST", "/api/v1/tasks", task.dump());
    ASSERT_EQ(response->status, 201U) << response->body;
    const Json done = service.wait_until(Json::parse(response->body)["id"], "succeeded");
    EXPECT_EQ(Served::said(done), "it just works") << done.dump(2);
    EXPECT_EQ(done["memory_mb"], 3000);
    EXPECT_NE(service.file("serve.log").find("'ttl' of tiny is ignored"), std::string::npos);
}

TEST(ModelServer, WhatAServerStartsEndsWithIt) {
    const Served served;
    served.service.wait_until(served.call("forks", 1, {{"load_only", true}}), "succeeded");
    ASSERT_EQ(served.keepers().size(), 1U);
    const pid_t keeper = served.keepers().front();
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", keeper));
    pid_t server = 0;
    children >> server;
    pid_t child = 0;
    std::ifstream(fmt::format("/proc/{0}/task/{0}/children", server)) >> child;
    ASSERT_GT(child, 0);
    served.ended("echo");
    for (const pid_t pid : {keeper, server, child}) EXPECT_FALSE(is_alive(pid));
}

}  // namespace
}  // namespace sy::service_test
