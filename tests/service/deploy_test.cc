// What lies in deploy/ must fit the service as it is.
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "service/service.h"

namespace sy::service_test {
namespace {

std::string deployed(const std::string& name) {
    std::ifstream in(std::string(SWITCHYARD_SOURCE_DIR "/deploy/") + name);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Names of ours in a query, without the endings of histograms.
std::set<std::string> metrics_in(const std::string& text) {
    static const std::regex kName(R"(\b(scheduler|gpu|switchyard)_[a-z_]+)");
    static const std::regex kEnding("_(bucket|sum|count)$");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), kName); at != std::sregex_iterator(); ++at)
        names.insert(std::regex_replace(at->str(), kEnding, ""));
    return names;
}

bool is_installed(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

TEST(Deploy, DashboardAndRulesAskOnlyForWhatThereIs) {
    const Service service(1);
    const std::string page = service.ask("GET", "/metrics")->body;
    const Json board = Json::parse(deployed("grafana.json"));
    std::string queries = deployed("alerts.yml");
    for (const Json& panel : board["panels"])
        for (const Json& target : panel["targets"]) queries += target["expr"].get<std::string>() + "\n";
    const std::set<std::string> names = metrics_in(queries);
    EXPECT_GT(names.size(), 15U);
    for (const std::string& name : names)
        EXPECT_NE(page.find("# TYPE " + name + " "), std::string::npos) << "there is no " << name;
}

TEST(Deploy, PromtoolTakesTheRules) {
    if (!is_installed("promtool")) GTEST_SKIP() << "promtool (package prometheus) is missing";
    EXPECT_EQ(std::system("cd " SWITCHYARD_SOURCE_DIR "/deploy && promtool check config prometheus.yml >/dev/null"), 0);
}

TEST(Deploy, SystemdTakesTheUnit) {
    if (!is_installed("systemd-analyze")) GTEST_SKIP() << "systemd-analyze (package systemd) is missing";
    const TestFolder folder;
    const std::string unit =
        std::regex_replace(deployed("switchyard.service"), std::regex("/usr/bin/switchyard"), SWITCHYARD_BINARY);
    std::ofstream(folder.path() + "/switchyard.service") << unit;
    EXPECT_EQ(std::system(("systemd-analyze verify " + folder.path() + "/switchyard.service").c_str()), 0);
    EXPECT_NE(unit.find("\nKillMode=process\n"), std::string::npos) << "tasks outlive the server";
}

}  // namespace
}  // namespace sy::service_test
