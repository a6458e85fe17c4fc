// `switchyard config` and what `validate` says of a configuration.
#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

TEST_F(Cli, ConfigShowsWhatIsInForceAndWhereItComesFrom) {
    file("yard.yaml", "order: fair\nmax_retries: 3\n");
    const Outcome result = run("config show --origin --config yard.yaml --fit strict");
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_NE(result.out.find("# Who is next\norder: fair  # file yard.yaml:1:8\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("fit: strict  # flag --fit\n"), std::string::npos);
    EXPECT_NE(result.out.find("place: scored  # default\n"), std::string::npos);
    file("again.yaml", result.out);
    EXPECT_EQ(run("config show --config again.yaml").out, run("config show --config yard.yaml --fit strict").out);
    const auto json = nlohmann::json::parse(run("config show --origin --json --config yard.yaml").out);
    EXPECT_EQ(json["max_retries"]["value"], 3);
    EXPECT_EQ(json["max_retries"]["origin"], "file yard.yaml:2:14");
    EXPECT_EQ(json["gpu_ids"]["value"], "all");
}

TEST_F(Cli, AWrongConfigurationIsInvalidInputWhereverItIsRead) {
    file("yard.yaml", "ordr: fair\nmax_retries: 3\n");
    for (const char* command : {"config show --config yard.yaml", "serve --config yard.yaml", "validate yard.yaml"}) {
        const Outcome result = run(command);
        EXPECT_EQ(result.exit, 3) << command;
        EXPECT_EQ(result.err,
                  "switchyard: yard.yaml:1:1: unknown key 'ordr' in the configuration\n  fix: did you mean order?\n");
    }
    EXPECT_EQ(run("config").exit, 2);
    EXPECT_EQ(run("config set").exit, 2);
    EXPECT_EQ(run("config show --config missing.yaml").exit, 3);
}

TEST_F(Cli, ValidateKnowsAConfiguration) {
    EXPECT_EQ(run("validate '" SWITCHYARD_SOURCE_DIR "/examples/switchyard.yaml'").out,
              "valid configuration: 55 keys\n");
}

}  // namespace
}  // namespace sy::cli
