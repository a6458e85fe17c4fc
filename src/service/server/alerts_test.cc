#include "service/server/alerts.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/http/server.h"
#include "service/test_folder.h"

namespace sy::server {
namespace {

/// A loop for alerts, and what they said.
class AlertsTest : public testing::Test {
protected:
    Alerts::Say say() {
        return [this](const std::string& line) { said += line + "\n"; };
    }
    void run_for(Duration time) {
        loop.at(loop::Loop::now() + time, [this] { loop.stop(); });
        loop.run();
    }
    /// Until it holds, at most for ten seconds.
    template <class Condition>
    void run_until(Condition holds) {
        const Instant end = loop::Loop::now() + 10s;
        while (!holds() && loop::Loop::now() < end) run_for(5ms);
    }
    std::string file(const std::string& name) const {
        std::ifstream in(folder.path() + "/" + name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    static Alert lost(const std::string& gpu) { return {AlertKind::worker_lost, gpu, gpu + " lost", 0}; }

    service_test::TestFolder folder;
    loop::Loop loop;
    std::string said;
};

TEST_F(AlertsTest, TheFirstIsSaidAtOnceAndTheRestTogether) {
    Alerts alerts(loop, {.at_most_every = 50ms}, say());
    for (const char* gpu : {"gpu1", "gpu2", "gpu3", "gpu4"}) alerts.raise(lost(gpu));
    EXPECT_EQ(said, "alert: worker_lost: gpu1 lost\n");
    run_for(60ms);
    EXPECT_EQ(said, "alert: worker_lost: gpu1 lost\nalert: worker_lost: gpu4 lost (2 more were held back)\n");
    said.clear();
    alerts.raise(lost("gpu5"));
    EXPECT_EQ(said, "") << "the quiet begins anew";
    run_for(60ms);
    EXPECT_EQ(said, "alert: worker_lost: gpu5 lost\n");
}

TEST_F(AlertsTest, OneKindDoesNotSilenceAnother) {
    Alerts alerts(loop, {}, say());
    alerts.raise(lost("gpu1"));
    alerts.raise({AlertKind::disk_full, "/data", "no room", 0});
    EXPECT_EQ(said, "alert: worker_lost: gpu1 lost\nalert: disk_full: no room\n");
}

TEST_F(AlertsTest, ACommandGetsTheAlertAsJson) {
    Alerts alerts(loop, {.command = {"sh", "-c", "cat > " + folder.path() + "/got"}}, say());
    alerts.raise(lost("gpu\"1\""));
    run_until([&] { return file("got").ends_with("}\n"); });
    EXPECT_NE(file("got").find(R"("kind":"worker_lost","about":"gpu\"1\"","message":"gpu\"1\" lost")"),
              std::string::npos)
        << file("got");
}

TEST_F(AlertsTest, ACommandThatTakesTooLongIsEnded) {
    Alerts alerts(loop, {.command = {"sleep", "1000"}, .patience = 20ms}, say());
    alerts.raise(lost("gpu1"));
    run_until([&] { return said.find("signal 9") != std::string::npos; });
    EXPECT_NE(said.find("the alert command sleep takes too long and is ended\n"
                        "the alert command sleep failed (signal 9)\n"),
              std::string::npos)
        << said;
}

TEST_F(AlertsTest, ACommandThatIsNotThereIsSaidSo) {
    Alerts alerts(loop, {.command = {"/no/such/program"}}, say());
    alerts.raise(lost("gpu1"));
    EXPECT_NE(said.find("the alert command /no/such/program cannot be started: No such file"), std::string::npos);
}

TEST_F(AlertsTest, AReceiverGetsThemByPost) {
    std::string heard;
    http::Server receiver(loop, {}, {}, [&](const http::Request& request, const http::Server::Answer& answer) {
        heard = request.method + " " + request.path + " " + request.body;
        answer({500, "", "text/plain", {}});
    });
    const std::string address = fmt::format("http://localhost:{}", *receiver.listen_tcp("127.0.0.1", 0));
    Alerts alerts(loop, {.webhook = address + "/hook", .patience = 5s}, say());
    alerts.raise(lost("gpu1"));
    run_until([&] {
        receiver.flush();
        return said.find("answered") != std::string::npos;
    });
    EXPECT_NE(heard.find("POST /hook {\"kind\":\"worker_lost\""), std::string::npos) << heard;
    EXPECT_NE(said.find(address + "/hook answered an alert with 500"), std::string::npos) << said;
}

TEST_F(AlertsTest, AReceiverThatNeverAnswersHoldsUpNobody) {
    http::Server receiver(loop, {}, {}, [](const http::Request&, const http::Server::Answer&) {});
    const std::string address = fmt::format("http://127.0.0.1:{}", *receiver.listen_tcp("127.0.0.1", 0));
    Alerts alerts(loop, {.webhook = address, .patience = 300ms}, say());
    const Instant before = loop::Loop::now();
    alerts.raise(lost("gpu1"));
    alerts.raise({AlertKind::disk_full, "/data", "no room", 0});
    EXPECT_LT(loop::Loop::now() - before, 100ms);
    run_until([&] { return said.find("did not reach") != std::string::npos; });
    EXPECT_NE(said.find("an alert did not reach " + address), std::string::npos) << said;
}

}  // namespace
}  // namespace sy::server
