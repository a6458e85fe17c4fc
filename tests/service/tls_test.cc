// The service and its commands over TLS.
#include <cstdlib>

#include <gtest/gtest.h>

#include "service/auth/token_file.h"
#include "service/certificates.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

/// Certificates for a server and a client, and how commands are called with them.
class Papers {
public:
    Papers() {
        authority_.issue("server", "server", "IP:127.0.0.1,DNS:localhost");
        authority_.issue("anna", "anna", "");
    }
    std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
    std::vector<std::string> settings(const std::string& listen, bool asks_clients) const {
        std::vector<std::string> words{"--listen",         listen,      "--tls-certificate",
                                       file("server.pem"), "--tls-key", file("server.key")};
        if (asks_clients) words.insert(words.end(), {"--tls-client-ca", file("ca.pem")});
        return words;
    }
    /// The exit code; what it wrote is in the files "out" and "err".
    int run(const std::string& arguments) const {
        const std::string command =
            fmt::format("'{}' {} >{} 2>{}", SWITCHYARD_BINARY, arguments, file("out"), file("err"));
        return WEXITSTATUS(std::system(command.c_str()));  // NOLINT(concurrency-mt-unsafe): one thread
    }
    std::string text(const std::string& name) const {
        std::ifstream in(file(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    TestFolder folder_;
    Authority authority_{folder_.path()};
};

std::string address_of(const Service& service) {
    const std::string log = service.file("serve.log");
    const std::size_t at = log.rfind("https://");
    return at == std::string::npos ? "" : log.substr(at, log.find('\n', at) - at);
}

TEST(ServeTls, CommandsReachItWithTheAuthoritysFileAndNotWithout) {
    const Papers papers;
    const Service service(1, papers.settings("127.0.0.1:0", false));
    const std::string there = "--server " + address_of(service);
    EXPECT_EQ(papers.run("submit --wait " + there + " --ca-file " + papers.file("ca.pem") + " -- true"), 0)
        << papers.text("err");
    EXPECT_EQ(papers.run("queue " + there), 4);
    EXPECT_NE(papers.text("err").find("certificate verify failed"), std::string::npos) << papers.text("err");
    const std::string plain = "http" + address_of(service).substr(5);
    EXPECT_EQ(papers.run("queue --server " + plain), 3);
    EXPECT_NE(papers.text("err").find("this port speaks TLS"), std::string::npos) << papers.text("err");
    EXPECT_EQ(service.ask("GET", "/readyz")->status, 200U) << "the socket in the folder speaks as before";
}

TEST(ServeTls, ClientCertificatesOpenItToOtherMachinesAndToWhatTheirRoleMay) {
    const Papers papers;
    const Service service(1, papers.settings("0.0.0.0:0", true));
    ASSERT_NE(address_of(service), "") << service.file("serve.log");
    const std::string address = "https://127.0.0.1" + address_of(service).substr(std::string("https://0.0.0.0").size());
    const std::string there = fmt::format("--server {} --ca-file {}", address, papers.file("ca.pem"));
    const std::string shown =
        fmt::format(" --certificate {} --key-file {}", papers.file("anna.pem"), papers.file("anna.key"));
    EXPECT_EQ(papers.run("queue " + there), 4);
    EXPECT_EQ(papers.run("submit --wait " + there + shown + " -- true"), 0) << papers.text("err");
    EXPECT_EQ(papers.run("queue pause " + there + shown), 1);
    EXPECT_NE(papers.text("err").find("this needs the role operate, yours is submit"), std::string::npos);
    EXPECT_NE(service.file("audit.log").find("certificate anna"), std::string::npos);
}

TEST(ServeTls, WhereThereAreTokensACertificateAloneOpensNothing) {
    const Papers papers;
    Service service(1, papers.settings("127.0.0.1:0", true));
    ASSERT_TRUE(auth::create_token(service.folder() + "/tokens.json", auth::Role::read, "ben", 1, std::nullopt));
    const std::string there =
        fmt::format("--server {} --ca-file {} --certificate {} --key-file {}", address_of(service),
                    papers.file("ca.pem"), papers.file("anna.pem"), papers.file("anna.key"));
    EXPECT_EQ(papers.run("queue " + there), 1);
    EXPECT_NE(papers.text("err").find("this needs a token"), std::string::npos);
}

TEST(ServeTls, WithTlsAloneOnlyTheLoopbackIsListenedOn) {
    const Papers papers;
    Service service(1, papers.settings("0.0.0.0:0", false));
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 2);
}

TEST(ServeTls, AKeyThatIsNotThereStopsTheStart) {
    const Papers papers;
    Service service(1,
                    {"--listen", "127.0.0.1:0", "--tls-certificate", papers.file("server.pem"), "--tls-key", "/none"});
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 3);
    service.start_with({"--listen", "127.0.0.1:0", "--tls-certificate", papers.file("server.pem")});
    EXPECT_EQ(WEXITSTATUS(service.wait_for_server()), 3);
    EXPECT_NE(service.file("serve.log").find("tls_certificate and tls_key go together"), std::string::npos);
}

}  // namespace
}  // namespace sy::service_test
