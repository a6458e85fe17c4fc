// A server that speaks TLS, clients that do as well, and some that do not.
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/certificates.h"
#include "service/http/client.h"
#include "service/http/server.h"
#include "service/test_folder.h"

namespace sy::http {
namespace {

/// Answers with the name in the client's certificate and the body.
class Sealed {
public:
    explicit Sealed(bool asks_clients = false, Patience patience = {})
        : server_(loop_, {}, patience, [](const Request& request, const Server::Answer& answer) {
              answer({200, request.peer.certificate + ":" + request.body, "text/plain", {}});
          }) {
        authority_.issue("server", "server", "IP:127.0.0.1");
        const auto terms = tls::Terms::for_server(
            {file("server.pem"), file("server.key"), asks_clients ? authority_.file() : std::string()});
        port_ = *server_.listen_tcp("127.0.0.1", 0, *terms);
        loop_.between([this] { server_.flush(); });
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Sealed() {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    Sealed(const Sealed&) = delete;
    Sealed& operator=(const Sealed&) = delete;

    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
    const service_test::Authority& authority() const { return authority_; }
    std::uint16_t port() const { return port_; }
    Result<Response> ask(const tls::ClientFiles& files, const std::string& body = {},
                         const std::string& host = "127.0.0.1") const {
        return http::ask(fmt::format("https://{}:{}", host, port_), "POST", "/", body,
                         {.patience = 10s, .files = files});
    }
    /// A plain line to it.
    int connect() const {
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_port = htons(port_);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
        const timeval patience{5, 0};
        ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        return fd;
    }

private:
    service_test::TestFolder folder_;
    service_test::Authority authority_{folder_.path()};
    loop::Loop loop_;
    Server server_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

/// What comes until the line is dead; it must not be for want of patience.
std::string hear_all(int fd) {
    std::string heard;
    char buffer[4096];
    ssize_t n = 0;
    while ((n = ::recv(fd, buffer, sizeof buffer, 0)) > 0) heard.append(buffer, static_cast<std::size_t>(n));
    EXPECT_EQ(n, 0) << "the line is not closed";
    return heard;
}

TEST(Tls, AnswersWhoTrustsItsAuthority) {
    const Sealed sealed;
    const std::string body(3'000'000, 'x');
    EXPECT_EQ(sealed.ask({.ca = sealed.authority().file()}, body)->body, ":" + body);
}

TEST(Tls, AServerThatProvesNothingIsNotSpokenTo) {
    const Sealed sealed;
    const service_test::TestFolder elsewhere;
    const service_test::Authority other(elsewhere.path());
    for (const std::string& ca : {std::string(), other.file()}) {
        const auto refused = sealed.ask({.ca = ca});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().fault, Fault::unreachable);
        EXPECT_NE(refused.error().message.find("certificate verify failed"), std::string::npos);
    }
    const auto misnamed = sealed.ask({.ca = sealed.authority().file()}, "", "localhost");
    ASSERT_FALSE(misnamed);
    EXPECT_NE(misnamed.error().message.find("hostname mismatch"), std::string::npos) << misnamed.error().message;
}

TEST(Tls, WhereCertificatesAreAskedForTheirNameIsKnown) {
    const Sealed sealed(true);
    sealed.authority().issue("anna", "anna", "");
    EXPECT_EQ(sealed.ask({sealed.authority().file(), sealed.file("anna.pem"), sealed.file("anna.key")})->body, "anna:");
}

TEST(Tls, AClientWithoutAGoodCertificateIsTurnedAway) {
    const Sealed sealed(true);
    const std::string ca = sealed.authority().file();
    const auto nothing = sealed.ask({.ca = ca});
    ASSERT_FALSE(nothing);
    EXPECT_NE(nothing.error().message.find("certificate required"), std::string::npos) << nothing.error().message;
    const service_test::TestFolder elsewhere;
    const service_test::Authority other(elsewhere.path());
    other.issue("eve", "anna", "");
    EXPECT_FALSE(sealed.ask({ca, elsewhere.path() + "/eve.pem", elsewhere.path() + "/eve.key"}));
    sealed.authority().issue("old", "anna", "", -3600);
    EXPECT_FALSE(sealed.ask({ca, sealed.file("old.pem"), sealed.file("old.key")})) << "it has expired";
}

TEST(Tls, WhoSpeaksPlainHttpIsToldSo) {
    const Sealed sealed;
    const int line = sealed.connect();
    const std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    ASSERT_EQ(::send(line, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    const std::string heard = hear_all(line);
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 400 ")) << heard;
    EXPECT_NE(heard.find("this port speaks TLS"), std::string::npos);
    ::close(line);
}

TEST(Tls, NonsenseIsHungUpOn) {
    const Sealed sealed;
    const int line = sealed.connect();
    const std::string nonsense(1000, 'n');
    ASSERT_EQ(::send(line, nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 1000);
    EXPECT_LT(hear_all(line).size(), 100U) << "an alert at most";
    ::close(line);
}

TEST(Tls, WhoNeverGetsThroughTheBeginningIsHungUpOnAndHoldsUpNobody) {
    const Sealed sealed(false, {.for_a_request = 60s, .for_a_handshake = 1s});
    const int silent = sealed.connect();
    const int slow = sealed.connect();
    const std::string_view start("\x16\x03\x01\x02\x00\x01", 6);
    ASSERT_EQ(::send(slow, start.data(), start.size(), MSG_NOSIGNAL), 6);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(sealed.ask({.ca = sealed.authority().file()}, "hi")->body, ":hi");
    EXPECT_EQ(hear_all(silent), "");
    EXPECT_EQ(hear_all(slow), "");
    ::close(silent);
    ::close(slow);
}

TEST(Tls, TermsNameTheFileThatCannotBeUsed) {
    const service_test::TestFolder folder;
    const service_test::Authority authority(folder.path());
    authority.issue("one", "one", "");
    authority.issue("two", "two", "");
    const auto file = [&](const char* name) { return folder.path() + "/" + name; };
    const auto missing = tls::Terms::for_server({file("none.pem"), file("one.key"), ""});
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("none.pem holds no certificate"), std::string::npos);
    const auto other = tls::Terms::for_server({file("one.pem"), file("two.key"), ""});
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message.find("two.key holds no key for that certificate"), std::string::npos);
    ::chmod(file("one.key").c_str(), 0644);
    const auto open = tls::Terms::for_server({file("one.pem"), file("one.key"), ""});
    ASSERT_FALSE(open);
    EXPECT_NE(open.error().message.find("others can read"), std::string::npos);
    EXPECT_FALSE(tls::Terms::for_client({.certificate = file("one.pem")})) << "its key is missing";
}

}  // namespace
}  // namespace sy::http
