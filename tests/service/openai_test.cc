// Calls as OpenAI's clients make them: answered, streamed, refused, given up.
#include "service/openai.h"

#include <gtest/gtest.h>

#include "service/auth/token_file.h"

namespace sy::service_test {
namespace {

std::vector<std::string> events_in(const std::string& body) {
    std::istringstream text(body);
    std::vector<std::string> events;
    for (std::string one; std::getline(text, one);)
        if (one.starts_with("data: ")) events.push_back(one.substr(6));
    return events;
}

TEST(OpenAi, ModelsAreListedAndFoundByTheirWholeName) {
    OpenAi front;
    const Json list = front.ask("GET", "/v1/models");
    std::set<std::string> names;
    for (const Json& model : list["data"]) names.insert(model["id"]);
    EXPECT_EQ(names, (std::set<std::string>{"small", "org/large:7b", "slow", "served", "another name"}));
    EXPECT_EQ(front.ask("GET", "/v1/models/org/large:7b")["id"], "org/large:7b");
    EXPECT_EQ(front.ask("GET", "/v1/models/org%2Flarge%3A7b")["object"], "model");
    EXPECT_EQ(front.ask("GET", "/v1/models/nobody")["error"]["code"], "model_not_found");
    EXPECT_EQ(front.status, 404U);
}

TEST(OpenAi, AnAnswerOfAnyKindBecomesAWellFormedOne) {
    OpenAi front;
    const Json text = front.chat("echo hello there");
    EXPECT_EQ(front.status, 200U);
    EXPECT_EQ(text["object"], "chat.completion");
    EXPECT_EQ(text["model"], "small");
    EXPECT_EQ(text["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(OpenAi::said(text), "hello there");
    EXPECT_EQ(OpenAi::said(front.chat("number")), "42");
    EXPECT_EQ(front.chat("whole")["id"], "own") << "a whole document is passed on as it is";
    const Json completion = front.ask("POST", "/v1/completions", {{"model", "org/large:7b"}, {"prompt", "echo on"}});
    EXPECT_EQ(completion["object"], "text_completion");
    EXPECT_EQ(completion["choices"][0]["text"], "on");
}

TEST(OpenAi, VectorsComeAsNumbersOrPacked) {
    OpenAi front;
    const Json wish{{"model", "small"}, {"input", {"abc", "x"}}};
    const Json plain = front.ask("POST", "/v1/embeddings", wish);
    EXPECT_EQ(plain["data"][0]["embedding"], Json({3.0, 0.5}));
    EXPECT_EQ(plain["data"][1]["index"], 1);
    Json packed = wish;
    packed["encoding_format"] = "base64";
    EXPECT_EQ(front.ask("POST", "/v1/embeddings", packed)["data"][0]["embedding"], "AABAQAAAAD8=");
}

TEST(OpenAi, OurOwnKeysAreTakenOutAndObeyed) {
    OpenAi front;
    EXPECT_EQ(OpenAi::said(front.chat("keys", {{"priority", "LOW"}, {"deadline", 60}, {"top_p", 1}})),
              "[\"messages\",\"model\",\"top_p\"]");
    const Json tasks = front.service.get("/api/v1/tasks")["tasks"];
    EXPECT_EQ(tasks[0]["priority"], "LOW");
    front.chat("echo");
    EXPECT_EQ(front.service.get("/api/v1/tasks")["tasks"][0]["priority"], "HIGH") << "somebody waits";
    const Json late = front.chat("sleep 30", {{"deadline", 0.3}});
    EXPECT_EQ(front.status, 504U);
    EXPECT_EQ(late["error"]["code"], "deadline_exceeded");
    EXPECT_TRUE(front.wait_for_start("cancelled"));
}

TEST(OpenAi, AStreamOfARunnerThatCannotStreamIsOnePiece) {
    OpenAi front;
    const auto response = front.service.ask(
        "POST", "/v1/chat/completions",
        OpenAi::chat_body("whole", {{"stream", true}, {"stream_options", {{"include_usage", true}}}}).dump());
    EXPECT_NE(std::find(response->headers.begin(), response->headers.end(),
                        std::pair<std::string, std::string>("Content-Type", "text/event-stream")),
              response->headers.end());
    const auto events = events_in(response->body);
    ASSERT_EQ(events.size(), 3U) << response->body;
    const Json piece = Json::parse(events[0]);
    EXPECT_EQ(piece["object"], "chat.completion.chunk");
    EXPECT_EQ(piece["choices"][0]["delta"]["content"], "mine");
    EXPECT_EQ(piece["choices"][0]["finish_reason"], "length");
    EXPECT_EQ(Json::parse(events[1])["usage"]["total_tokens"], 7);
    EXPECT_EQ(events[2], "[DONE]");
}

TEST(OpenAi, PiecesOfARunnerComeWhileItAnswers) {
    OpenAi front;
    const auto response = front.service.ask(
        "POST", "/v1/completions", Json{{"model", "small"}, {"prompt", "spell word"}, {"stream", true}}.dump());
    const auto events = events_in(response->body);
    ASSERT_EQ(events.size(), 6U) << response->body;
    std::string text;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) text += Json::parse(events[i])["choices"][0]["text"];
    EXPECT_EQ(text, "word");
    EXPECT_EQ(Json::parse(events[4])["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(events[5], "[DONE]");
}

TEST(OpenAi, AServersStreamIsPassedOnAndItsRefusalToo) {
    OpenAi front;
    const auto response =
        front.service.ask("POST", "/v1/chat/completions",
                          OpenAi::chat_body("a b c", {{"model", "another name"}, {"stream", true}}).dump());
    const auto events = events_in(response->body);
    ASSERT_EQ(events.size(), 5U) << response->body;
    EXPECT_EQ(Json::parse(events[1])["choices"][0]["delta"]["content"], " b");
    EXPECT_EQ(events[4], "[DONE]");
    EXPECT_EQ(OpenAi::said(front.chat("a b c", {{"model", "served"}})), "a b c");
    const Json refused = front.ask("POST", "/v1/completions", {{"model", "served"}, {"prompt", Json::array({1})}});
    EXPECT_EQ(front.status, 400U) << refused;
    EXPECT_EQ(refused["error"]["message"], "prompt must be a text");
}

TEST(OpenAi, WhatCannotBeDoneIsRefusedInWordsThatClientsKnow) {
    OpenAi front;
    const auto refused = [&](const std::string& path, const Json& body) {
        const Json error = front.ask("POST", path, body)["error"];
        return fmt::format("{} {} {}", front.status, error.value("type", ""), error.value("code", Json()).dump());
    };
    EXPECT_EQ(refused("/v1/chat/completions", OpenAi::chat_body("x", {{"model", "nobody"}})),
              "404 invalid_request_error \"model_not_found\"");
    const std::string invalid = "400 invalid_request_error \"invalid_value\"";
    EXPECT_EQ(refused("/v1/chat/completions", {{"model", "small"}}), invalid);
    EXPECT_EQ(refused("/v1/chat/completions", {{"messages", Json::array({1})}, {"model", "small"}}), invalid);
    EXPECT_EQ(refused("/v1/chat/completions", OpenAi::chat_body("x", {{"max_tokens", -1}})), invalid);
    EXPECT_EQ(refused("/v1/chat/completions", OpenAi::chat_body("x", {{"priority", "HUGE"}})), invalid);
    EXPECT_EQ(refused("/v1/chat/completions", OpenAi::chat_body("x", {{"deadline", "soon"}})), invalid);
    EXPECT_EQ(refused("/v1/completions", {{"model", "small"}, {"prompt", 7}}), invalid);
    EXPECT_EQ(refused("/v1/embeddings", {{"model", "small"}, {"input", Json::array()}}), invalid);
    EXPECT_EQ(refused("/v1/chat/completions", Json::array()), "400 invalid_request_error \"invalid_json\"");
    EXPECT_EQ(refused("/v1/chat/completions", OpenAi::chat_body("fail no such thing")),
              "502 server_error \"model_failed\"");
    EXPECT_EQ(refused("/v1/nothing-here", Json::object()), "404 invalid_request_error \"not_found\"");
    EXPECT_EQ(refused("/v1/models", Json::object()), "405 invalid_request_error null");
    const auto said = [&](const std::string& body) {
        return Json::parse(front.service.ask("POST", "/v1/chat/completions", body)->body)["error"]["code"];
    };
    EXPECT_EQ(said("{\"model\": "), "invalid_json");
    EXPECT_EQ(said("{\"model\": " + std::string(100'000, '[')), "invalid_json");
}

TEST(OpenAi, ATokenIsTheKeyAndItsRoleDecides) {
    OpenAi front(1, {"--listen", "127.0.0.1:0"});
    const std::string log = front.service.file("serve.log");
    const std::string address =
        log.substr(log.find("http://"), log.find('\n', log.find("http://")) - log.find("http://"));
    const auto token = [&](auth::Role role) {
        return auth::create_token(front.service.folder() + "/tokens.json", role, "anna", 1, std::nullopt)->token;
    };
    const std::string submit = token(auth::Role::submit);
    const std::string read = token(auth::Role::read);
    const auto chat = [&](const std::string& bearer) {
        const auto response =
            *http::ask(address, "POST", "/v1/chat/completions", OpenAi::chat_body("echo x").dump(), {.bearer = bearer});
        const Json json = Json::parse(response.body);
        return fmt::format("{} {}", response.status, json.contains("error") ? json["error"].value("type", "") : "");
    };
    EXPECT_EQ(chat(""), "401 authentication_error");
    EXPECT_EQ(chat(read), "403 permission_error");
    EXPECT_EQ(chat(submit), "200 ");
    EXPECT_EQ(http::ask(address, "GET", "/v1/models", "", {.bearer = read})->status, 200U);
    EXPECT_EQ(front.service.get("/api/v1/tasks")["tasks"][0]["user"], "anna");
}

/// A client that sends a call and does not wait for the answer, unless it is destroyed.
class Impatient {
public:
    Impatient(const Service& service, const Json& body) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        (service.folder() + "/api.sock").copy(name.sun_path, sizeof name.sun_path - 1);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
        const std::string text = body.dump();
        const std::string bytes = fmt::format(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: {}\r\n\r\n{}",
            text.size(), text);
        EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    }
    ~Impatient() { ::close(fd_); }
    Impatient(const Impatient&) = delete;
    Impatient& operator=(const Impatient&) = delete;

private:
    int fd_;
};

TEST(OpenAi, AClientThatHasGoneTakesItsCallWithIt) {
    OpenAi front;
    {
        const Impatient running(front.service, OpenAi::chat_body("sleep 60"));
        ASSERT_TRUE(front.wait_for_start("sleep 60"));
        const Impatient waiting(front.service, OpenAi::chat_body("sleep 61"));
        while (front.service.get("/api/v1/queue").value("queued", 0) == 0 &&
               front.service.get("/api/v1/tasks")["tasks"].size() < 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    for (const std::uint64_t id : {1U, 2U}) EXPECT_EQ(front.service.wait_until(id, "cancelled")["state"], "cancelled");
    EXPECT_EQ(OpenAi::said(front.chat("echo next")), "next");
    EXPECT_EQ(front.started().find("sleep 61"), std::string::npos) << "it was never begun";
}

TEST(OpenAi, AClientThatGoesInTheMiddleOfAStreamHurtsNobody) {
    OpenAi front;
    for (int i = 0; i < 20; ++i) {
        const std::string word = fmt::format("spell {}-{}", i, std::string(2'000, 'x'));
        const Impatient client(front.service, OpenAi::chat_body(word, {{"stream", true}}));
        ASSERT_TRUE(front.wait_for_start(word));
        std::this_thread::sleep_for(std::chrono::milliseconds(2 * i));
    }
    EXPECT_EQ(OpenAi::said(front.chat("echo next")), "next");
}

TEST(OpenAi, ALoadThatNobodyWaitsForIsBrokenOff) {
    OpenAi front;
    {
        const Impatient client(front.service, OpenAi::chat_body("echo x", {{"model", "slow"}}));
        ASSERT_TRUE(front.wait_for_start("loading"));
    }
    EXPECT_EQ(front.service.wait_until(1, "cancelled", std::chrono::seconds(15))["state"], "cancelled");
    EXPECT_EQ(OpenAi::said(front.chat("echo next")), "next") << "the GPU is free, long before 30 s";
}

TEST(OpenAi, WhoWouldWaitBehindTooManyIsToldToComeAgain) {
    OpenAi front(1, {"--openai-max-waiting", "2"});
    const Impatient first(front.service, OpenAi::chat_body("sleep 60"));
    ASSERT_TRUE(front.wait_for_start("sleep 60"));
    {
        const Impatient second(front.service, OpenAi::chat_body("sleep 60"));
        while (front.service.get("/api/v1/tasks")["tasks"].size() < 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        EXPECT_EQ(front.chat("echo x")["error"]["code"], "too_many_waiting");
        EXPECT_EQ(front.status, 429U);
    }
    front.service.wait_until(2, "cancelled");
    front.chat("echo x", {{"deadline", 0.05}});
    EXPECT_EQ(front.status, 504U) << "there is room to wait again";
}

TEST(OpenAi, CallsThatAKilledServerWasAskedAreCancelled) {
    OpenAi front;
    const Impatient client(front.service, OpenAi::chat_body("sleep 60"));
    ASSERT_TRUE(front.wait_for_start("sleep 60"));
    front.service.kill_server(SIGKILL);
    front.service.start();
    EXPECT_EQ(front.service.wait_until(1, "cancelled")["state"], "cancelled");
}

}  // namespace
}  // namespace sy::service_test
