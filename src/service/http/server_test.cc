// A real server on a real socket, and clients that do not behave.
#include "service/http/server.h"

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/http/stream.h"

namespace sy::http {
namespace {

/// Answers "METHOD path body", and with a delay where the path says so.
class Echo {
public:
    explicit Echo(Limits limits = {}, Patience patience = {})
        : server_(loop_, limits, patience, [this](const Request& request, Server::Answer answer) {
              const std::string text = request.method + " " + request.path + " " + request.body;
              if (request.path != "/later") return answer({200, text, "text/plain", {}});
              loop_.at(loop::Loop::now() + 20ms, [answer, text] { answer({200, text, "text/plain", {}}); });
          }) {
        port_ = *server_.listen_tcp("127.0.0.1", 0);
        loop_.between([this] { server_.flush(); });
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Echo() {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    std::uint16_t port() const { return port_; }

private:
    loop::Loop loop_;
    Server server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

class Client {
public:
    explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_port = htons(port);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
        const timeval patience{5, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~Client() { ::close(fd_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void say(std::string_view text) {
        ASSERT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    }
    /// Until so many answers' ends have come, or the line is dead.
    std::string hear_until(std::string_view end) {
        while (heard_.find(end) == std::string::npos && hear_more()) {
        }
        return heard_;
    }
    bool hear_more() {
        char buffer[4096];
        const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
        if (n > 0) heard_.append(buffer, static_cast<std::size_t>(n));
        return n > 0;
    }
    std::string hear_all() {
        while (hear_more()) {
        }
        return heard_;
    }

private:
    int fd_;
    std::string heard_;
};

TEST(Http, AnswersOneRequestAfterAnotherOnOneLine) {
    const Echo echo;
    Client client(echo.port());
    client.say(
        "GET /a%20b?x=1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
        "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    const std::string heard = client.hear_all();
    const std::size_t first = heard.find("GET /a b ");
    const std::size_t second = heard.find("POST /later abc");
    const std::size_t third = heard.find("GET /end ");
    EXPECT_TRUE(first < second && second < third && third != std::string::npos) << heard;
}

TEST(Http, TakesRequestsHoweverTheyAreCut) {
    const Echo echo;
    Client client(echo.port());
    const std::string request = "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
    for (const char c : request) client.say({&c, 1});
    EXPECT_NE(client.hear_until("hello").find("POST /x hello"), std::string::npos);
}

TEST(Http, WhatIsTooLargeIsRefusedBeforeItIsTaken) {
    const Echo echo({.header_bytes = 1000, .body_bytes = 100});
    Client body(echo.port());
    body.say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n");
    EXPECT_TRUE(body.hear_all().starts_with("HTTP/1.1 413 "));
    Client header(echo.port());
    header.say("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n");
    EXPECT_TRUE(header.hear_all().starts_with("HTTP/1.1 431 "));
    Client chunked(echo.port());
    chunked.say("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n" + std::string(128, 'x') +
                "\r\n");
    EXPECT_TRUE(chunked.hear_all().starts_with("HTTP/1.1 413 "));
}

TEST(Http, OnePlaceAloneTakesMore) {
    const Echo echo({.body_bytes = 100, .large_path = "/files", .large_body_bytes = 300});
    const auto sent = [&](const std::string& line, int bytes) {
        Client client(echo.port());
        client.say(fmt::format("{} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", line,
                               bytes, std::string(static_cast<std::size_t>(bytes), 'x')));
        return client.hear_all().substr(9, 3);
    };
    EXPECT_EQ(sent("POST /files", 300), "200");
    EXPECT_EQ(sent("POST /files?x=1", 300), "200");
    EXPECT_EQ(sent("POST /files", 301), "413");
    EXPECT_EQ(sent("POST /files/", 101), "413");
    EXPECT_EQ(sent("PUT /files", 101), "413");
    EXPECT_EQ(sent("POST /other", 101), "413");
    EXPECT_EQ(sent("POST /other", 100), "200");
    Client chunked(echo.port());
    const std::string chunk = "40\r\n" + std::string(64, 'x') + "\r\n";
    chunked.say("POST /other HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + chunk);
    EXPECT_TRUE(chunked.hear_all().starts_with("HTTP/1.1 413 "));
}

TEST(Http, NonsenseIsAnsweredAndHungUpOn) {
    const Echo echo;
    for (const char* nonsense :
         {"hello\r\n\r\n", "GET nowhere HTTP/1.1\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"}) {
        Client client(echo.port());
        client.say(nonsense);
        EXPECT_TRUE(client.hear_all().starts_with("HTTP/1.1 400 ")) << nonsense;
    }
}

TEST(Http, WhoSendsTooSlowlyIsHungUpOn) {
    const Echo echo({}, {.for_a_request = 100ms, .between = 10s});
    Client slow(echo.port());
    slow.say("GET / HT");
    EXPECT_EQ(slow.hear_all(), "");
}

TEST(Http, MoreLinesThanAllowedAreNotTaken) {
    const Echo echo({}, {.connections = 2});
    Client one(echo.port());
    Client two(echo.port());
    one.say("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    two.say("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(one.hear_until("/1").find("200 OK"), std::string::npos);
    EXPECT_NE(two.hear_until("/2").find("200 OK"), std::string::npos);
    Client three(echo.port());
    EXPECT_EQ(three.hear_all(), "");
}

TEST(Http, AClientThatWaitsToBeAskedIsAsked) {
    const Echo echo;
    Client client(echo.port());
    client.say("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_NE(client.hear_until("100 Continue\r\n\r\n").find("100 Continue"), std::string::npos);
    client.say("ok");
    EXPECT_NE(client.hear_until("ok").find("POST /x ok"), std::string::npos);
}

TEST(Http, AnAnswerToSomebodyWhoHasGoneGoesNowhere) {
    const Echo echo;
    {
        Client impatient(echo.port());
        impatient.say("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    Client next(echo.port());
    next.say("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_NE(next.hear_until("/later").find("200 OK"), std::string::npos);
}

/// Never answers, or begins a stream, and counts who goes away. What comes to "/now" is answered.
class Waiting {
public:
    Waiting()
        : server_(loop_, {}, {}, [this](const Request& request, const Server::Answer& answer) {
              request.when_gone([this] { ++gone_; });
              ++asked_;
              if (request.path == "/now") return answer({200, "here", "text/plain", {}});
              if (request.path == "/never") return;
              Response response{200, "", "text/plain", {}};
              response.opened = [&request](const std::shared_ptr<Stream>& stream) {
                  stream->push("begun");
                  if (request.path == "/whole") stream->finish();
              };
              answer(response);
          }) {
        port_ = *server_.listen_tcp("127.0.0.1", 0);
        loop_.between([this] { server_.flush(); });
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Waiting() {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    /// How many were said to have gone, once somebody has asked this, been heard until then, and left.
    int gone_after(const std::string& path, std::string_view heard) {
        const int before = asked_;
        {
            Client client(port_);
            client.say("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
            while (asked_ == before) std::this_thread::yield();
            if (!heard.empty()) client.hear_until(heard);
        }
        Client next(port_);  // what its going means has been seen when this is answered
        next.say("GET /now HTTP/1.1\r\nHost: x\r\n\r\n");
        next.hear_until("here");
        return gone_;
    }

private:
    std::atomic<int> gone_ = 0;
    std::atomic<int> asked_ = 0;
    loop::Loop loop_;
    Server server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

TEST(Http, WhoeverAnswersIsToldThatTheClientHasGone) {
    Waiting waiting;
    EXPECT_EQ(waiting.gone_after("/now", "here"), 0) << "it had its answer";
    EXPECT_EQ(waiting.gone_after("/never", ""), 1);
    EXPECT_EQ(waiting.gone_after("/stream", "begun"), 2) << "in the middle of its answer";
    EXPECT_EQ(waiting.gone_after("/whole", "begun"), 2) << "after the end of its answer";
}

/// Pushes as much as a client takes, and a little ahead.
class Spring {
public:
    explicit Spring(Patience patience = {})
        : server_(loop_, {}, patience, [this](const Request&, const Server::Answer& answer) {
              Response response{200, "", "text/plain", {}};
              response.opened = [this](std::shared_ptr<Stream> stream) { streams_.push_back(std::move(stream)); };
              answer(response);
          }) {
        port_ = *server_.listen_tcp("127.0.0.1", 0);
        loop_.between([this] {
            for (const auto& stream : streams_)
                for (; stream->is_open() && stream->unsent() < 65'536;) stream->push(std::string(32'768, 'x'));
            std::erase_if(streams_, [](const auto& stream) { return !stream->is_open(); });
            open_ = streams_.size();
            server_.flush();
        });
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Spring() {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    std::uint16_t port() const { return port_; }
    std::size_t open_count() const { return open_; }

private:
    loop::Loop loop_;
    Server server_;
    std::vector<std::shared_ptr<Stream>> streams_;
    std::atomic<std::size_t> open_ = 0;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

TEST(Http, AnAnswerMayHaveNoEnd) {
    const Spring spring;
    Client client(spring.port());
    client.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string heard = client.hear_until(std::string(1'000'000, 'x'));
    EXPECT_EQ(heard.find("Content-Length"), std::string::npos);
    EXPECT_GE(heard.size(), 1'000'000U);
}

TEST(Http, WhoTakesNothingOfAnEndlessAnswerIsHungUpOnAndHurtsNobody) {
    const Spring spring({.for_a_request = 200ms, .between = 10s});
    Client idle(spring.port());
    idle.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    while (spring.open_count() == 0) std::this_thread::yield();
    Client other(spring.port());
    other.say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_GE(other.hear_until(std::string(1'000'000, 'x')).size(), 1'000'000U);
    for (int i = 0; i < 1000 && spring.open_count() > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(spring.open_count(), 0U);
}

}  // namespace
}  // namespace sy::http
