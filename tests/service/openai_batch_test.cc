// Files and batches as OpenAI's clients hand them in, and what becomes of them whatever happens to the server.
#include <gtest/gtest.h>

#include "service/openai.h"

namespace sy::service_test {
namespace {

TEST(OpenAi, AFileComesBackAsItWasSentUntilItIsDeleted) {
    OpenAi front;
    const std::string content = "first\r\nsecond\n";
    const std::string id = front.send_file(content);
    ASSERT_TRUE(id.starts_with("file-")) << id;
    front.service.kill_server(SIGKILL);
    front.service.start();
    EXPECT_EQ(front.ask("GET", "/v1/files/" + id)["bytes"], content.size());
    EXPECT_EQ(front.ask("GET", "/v1/files/" + id)["filename"], "in.jsonl");
    EXPECT_EQ(front.service.ask("GET", "/v1/files/" + id + "/content")->body, content);
    const std::string other = front.send_file("x");
    EXPECT_EQ(front.ask("GET", "/v1/files?limit=1")["has_more"], true);
    EXPECT_EQ(front.ask("GET", "/v1/files?purpose=batch_output")["data"].size(), 0U);
    EXPECT_EQ(front.ask("DELETE", "/v1/files/" + id)["deleted"], true);
    EXPECT_EQ(front.ask("GET", "/v1/files/" + id)["error"]["code"], "file_not_found");
    EXPECT_EQ(front.ask("GET", "/v1/files")["data"].size(), 1U);
}

TEST(OpenAi, FormsAreTakenInOnePlaceAlone) {
    OpenAi front(1, {"--openai-max-file-mb", "1"});
    const auto sent = [&](const std::string& path, const std::string& type, const std::string& body) {
        return front.service
            .say(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {}\r\n"
                             "Content-Length: {}\r\n\r\n{}",
                             path, type, body.size(), body))
            .substr(9, 3);
    };
    const std::string form = "multipart/form-data; boundary=x";
    EXPECT_EQ(sent("/v1/batches", form, "--x--"), "415");
    EXPECT_EQ(sent("/v1/files", "text/plain", "--x--"), "415");
    EXPECT_EQ(sent("/v1/files", form, "--x--"), "400");
    EXPECT_EQ(sent("/v1/files", form, "--x\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n--x--"), "400")
        << "it says not what for";
    const std::string large = "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n";
    EXPECT_EQ(front.service.say(fmt::format(fmt::runtime(large), "/v1/files", 2'000'000)).substr(9, 3), "413");
    EXPECT_EQ(front.service.say(fmt::format(fmt::runtime(large), "/v1/chat/completions", 100'000'000)).substr(9, 3),
              "413");
    EXPECT_TRUE(front.send_file(std::string(999'000, 'x')).starts_with("file-"));
}

TEST(OpenAi, ABatchAnswersEveryLineOnceAndSaysWhichFailed) {
    OpenAi front(2);
    std::string lines;
    for (int i = 0; i < 20; ++i)
        lines += OpenAi::line(fmt::format("call-{}", i), fmt::format("echo {{{{ braces }}}} {}", i), Json::object(),
                              {{"model", i % 2 == 0 ? "small" : "org/large:7b"}});
    lines +=
        OpenAi::line("bad", "fail on purpose") + OpenAi::line("nobody's", "x", Json::object(), {{"model", "nobody"}});
    const Json begun = front.add_batch(lines, {{"metadata", {{"who", "me"}}}});
    EXPECT_EQ(begun["object"], "batch") << begun;
    const Json batch = front.wait_for_end(begun["id"]);
    EXPECT_EQ(batch["status"], "completed") << batch;
    EXPECT_EQ(batch["request_counts"], Json({{"total", 22}, {"completed", 20}, {"failed", 2}}));
    EXPECT_EQ(batch["metadata"]["who"], "me");
    const auto good = front.lines_of(batch["output_file_id"]);
    ASSERT_EQ(good.size(), 20U);
    for (const auto& [id, line] : good) {
        EXPECT_EQ(line["response"]["status_code"], 200);
        EXPECT_EQ(OpenAi::said(line["response"]["body"]), "{{ braces }} " + id.substr(5));
    }
    const auto bad = front.lines_of(batch["error_file_id"]);
    EXPECT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad.at("nobody's")["response"]["body"]["error"]["code"], "model_not_found");
    EXPECT_EQ(bad.at("bad")["response"]["status_code"], 502);
    EXPECT_EQ(front.ask("GET", "/v1/batches")["data"][0]["id"], begun["id"]);
}

TEST(OpenAi, ALineMayDependOnOthersAndUseTheirAnswers) {
    OpenAi front(2);
    const std::string lines =
        OpenAi::line("last", "echo {{ steps.first.output }} and {{ steps.second.output }}",
                     {{"depends_on", {"first", "second"}}, {"priority", "LOW"}, {"deadline", 600}}) +
        OpenAi::line("first", "echo one") + OpenAi::line("second", "echo two") + OpenAi::line("alone", "echo three") +
        OpenAi::line("breaks", "fail early") + OpenAi::line("after", "echo never", {{"depends_on", {"breaks"}}}) +
        OpenAi::line("late", "echo late", {{"deadline", 0.001}}) +
        OpenAi::line("unknown", "x", Json::object(), {{"model", "nobody"}}) +
        OpenAi::line("after unknown", "x", {{"depends_on", {"unknown"}}});
    const Json batch = front.wait_for_end(front.add_batch(lines)["id"]);
    EXPECT_EQ(batch["status"], "completed") << batch;
    const auto good = front.lines_of(batch["output_file_id"]);
    ASSERT_EQ(good.size(), 4U);
    EXPECT_EQ(OpenAi::said(good.at("last")["response"]["body"]), "one and two");
    const auto bad = front.lines_of(batch["error_file_id"]);
    EXPECT_EQ(bad.size(), 5U);
    EXPECT_EQ(bad.at("after")["error"]["code"], "not_run");
    EXPECT_EQ(bad.at("late")["response"]["body"]["error"]["message"], "its deadline has passed");
    EXPECT_EQ(bad.at("after unknown")["response"]["body"]["error"]["code"], "dependency_failed");
}

TEST(OpenAi, ABadLineFailsTheBatchAndIsNamed) {
    OpenAi front;
    const auto why = [&](const std::string& lines) {
        const Json batch = front.add_batch(lines);
        if (batch.value("status", "") != "failed") return batch.dump();
        const Json error = batch["errors"]["data"][0];
        return fmt::format("{} {}", error["line"].dump(), error.value("code", ""));
    };
    std::string many;
    for (int i = 1; i < 57; ++i) many += OpenAi::line(fmt::format("l{}", i), "echo x");
    EXPECT_EQ(why(many + "this is no JSON\n" + OpenAi::line("more", "x")), "57 invalid_json_line");
    const std::string first = OpenAi::line("one", "x");
    EXPECT_EQ(why(first + first), "2 duplicate_custom_id");
    EXPECT_EQ(why(first + "{\"method\": \"POST\"}\n"), "2 missing_required_parameter");
    EXPECT_EQ(why(first + "\n" + OpenAi::line("two", "x", {{"url", "/v1/nothing"}})), "3 invalid_url");
    EXPECT_EQ(why(first + OpenAi::line("two", "x", {{"depends_on", {"three"}}})), "2 unknown_dependency");
    EXPECT_EQ(why(OpenAi::line("a", "x", {{"depends_on", {"b"}}}) + OpenAi::line("b", "x", {{"depends_on", {"a"}}})),
              "1 circular_dependency");
    EXPECT_EQ(why(first + OpenAi::line("two", "{{ steps.three.output }}", {{"depends_on", {"one"}}})),
              "2 invalid_template");
    EXPECT_EQ(why(OpenAi::line("one", "x", Json::object(), {{"stream", true}})), "1 invalid_request");
    EXPECT_EQ(why(""), "null empty_file");
    EXPECT_EQ(front.service.get("/api/v1/tasks")["tasks"].size(), 0U) << "nothing of them was run";
    EXPECT_EQ(front.ask("POST", "/v1/batches", {{"endpoint", "/v1/embeddings"}})["error"]["param"], "input_file_id");
    EXPECT_EQ(front.add_batch(first, {{"completion_window", "soon"}})["error"]["param"], "completion_window");
    EXPECT_EQ(front.add_batch(first, {{"input_file_id", "file-none"}})["error"]["code"], "file_not_found");
}

TEST(OpenAi, ACancelledBatchKeepsWhatItHas) {
    OpenAi front;
    std::string lines = OpenAi::line("quick", "echo done", {{"priority", "CRITICAL"}});
    for (int i = 0; i < 5; ++i) lines += OpenAi::line(fmt::format("long-{}", i), "sleep 60");
    const std::string id = front.add_batch(lines)["id"];
    ASSERT_TRUE(front.wait_for_start("sleep 60"));
    const Json cancelling = front.ask("POST", "/v1/batches/" + id + "/cancel");
    EXPECT_EQ(cancelling["status"], "cancelling") << cancelling;
    const Json batch = front.wait_for_end(id);
    EXPECT_EQ(batch["status"], "cancelled");
    const auto bad = front.lines_of(batch["error_file_id"]);
    EXPECT_EQ(bad.size() + front.lines_of(batch["output_file_id"]).size(), 6U);
    EXPECT_EQ(bad.at("long-3")["error"]["code"], "batch_cancelled");
    EXPECT_EQ(front.ask("POST", "/v1/batches/" + id + "/cancel")["error"]["type"], "invalid_request_error");
    EXPECT_EQ(front.status, 409U);
}

TEST(OpenAi, ABatchWhoseWindowIsOverExpires) {
    OpenAi front;
    const Json begun = front.add_batch(OpenAi::line("a", "sleep 60"), {{"completion_window", "1s"}});
    const Json batch = front.wait_for_end(begun["id"]);
    EXPECT_EQ(batch["status"], "expired");
    EXPECT_EQ(front.lines_of(batch["error_file_id"]).at("a")["error"]["code"], "batch_expired");
}

TEST(OpenAi, ABatchSurvivesTheServersDeathAndAnswersEachLineOnce) {
    OpenAi front(2);
    std::string lines;
    for (int i = 0; i < 40; ++i)
        lines += OpenAi::line(fmt::format("call-{}", i), i % 10 == 9 ? "fail here" : "sleep 0.05", Json::object(),
                              {{"model", i % 2 == 0 ? "small" : "org/large:7b"}});
    const std::string id = front.add_batch(lines)["id"];
    for (int kill = 0; kill < 4; ++kill) {
        std::this_thread::sleep_for(std::chrono::milliseconds(350));
        front.service.kill_server(SIGKILL);
        front.service.start();
    }
    const Json batch = front.wait_for_end(id);
    EXPECT_EQ(batch["status"], "completed") << batch;
    EXPECT_EQ(batch["request_counts"], Json({{"total", 40}, {"completed", 36}, {"failed", 4}}));
    EXPECT_EQ(front.lines_of(batch["output_file_id"]).size(), 36U);
    EXPECT_EQ(front.lines_of(batch["error_file_id"]).size(), 4U);
    front.service.kill_server(SIGKILL);
    front.service.start();
    EXPECT_EQ(front.ask("GET", "/v1/batches/" + id)["status"], "completed") << "also in the next life";
}

TEST(OpenAi, ACallGoesBeforeTheRestOfABatch) {
    OpenAi front;
    std::string lines;
    for (int i = 0; i < 30; ++i) lines += OpenAi::line(fmt::format("b{}", i), "sleep 0.2");
    const std::string id = front.add_batch(lines)["id"];
    ASSERT_TRUE(front.wait_for_start("sleep 0.2"));
    EXPECT_EQ(OpenAi::said(front.chat("echo now")), "now");
    const Json batch = front.ask("GET", "/v1/batches/" + id);
    EXPECT_LT(batch["request_counts"]["completed"], 15) << "of 30 that were there before";
    front.ask("POST", "/v1/batches/" + id + "/cancel");
}

}  // namespace
}  // namespace sy::service_test
