// A service that tells a person when something is wrong.
#include <gtest/gtest.h>

#include "service/server/serve.h"
#include "service/service.h"

namespace sy::service_test {
namespace {

/// The service in a process of its own, with one GPU.
pid_t serve_with(const std::string& folder, const std::vector<std::string>& command) {
    const pid_t server = ::fork();
    if (server != 0) return server;
    server::ServeOptions options;
    options.program = SWITCHYARD_BINARY;
    options.folder = folder;
    options.gpus = {GpuSpec{gigabytes(80)}};
    options.simulated = true;
    options.alerts.command = command;
    options.alerts.webhook = "http://127.0.0.1:1/nobody";  // its thread must not take the signals meant for the server
    options.say = [](const std::string&) {};
    ::_exit(server::serve(options) ? 0 : 1);
}

std::string text_in(const std::string& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Children that a dead worker left behind are killed; the command that tells of it is a child as well and must not be.
TEST(Alerts, ADeadWorkerIsToldOfWhileWhatItLeftIsClearedUp) {
    const TestFolder folder;
    const std::string script = fmt::format("sleep 0.3; cat > {}/alert", folder.path());
    const pid_t server = serve_with(folder.path(), {"sh", "-c", script});
    const auto ask = [&](const std::string& target) {
        return http::ask("unix:" + folder.path() + "/api.sock", "GET", target);
    };
    const auto wait_for = [](const auto& condition) {
        for (int i = 0; i < 2000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    wait_for([&] {
        const auto gpus = ask("/api/v1/gpus");
        return gpus && gpus->body.find("\"free\"") != std::string::npos;
    });
    const auto worker = [&] { return std::atoi(text_in(folder.path() + "/worker-0.lock").c_str()); };
    for (int deaths = 0; deaths < 2; ++deaths) {
        const pid_t before = worker();
        ASSERT_GT(before, 0);
        ::kill(before, SIGKILL);
        wait_for([&] { return worker() != before && worker() > 0; });
    }
    wait_for([&] { return text_in(folder.path() + "/alert").ends_with("}\n"); });
    EXPECT_NE(text_in(folder.path() + "/alert").find("\"message\":\"the worker of gpu0 is lost\""), std::string::npos);
    ::kill(server, SIGTERM);
    int status = -1;
    ::waitpid(server, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sy::service_test
