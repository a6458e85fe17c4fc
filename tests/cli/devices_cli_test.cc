// GPUs on the command line: what doctor shows of them, and files of simulated ones.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace sy::cli {
namespace {

/// A machine whose driver is the fake one, with these cards.
class Driver : public Cli {
protected:
    Driver() {
        fs::create_symlink(FAKE_NVML, folder() / "libnvidia-ml.so.1");
        setenv("LD_LIBRARY_PATH", folder().c_str(), 1);                    // NOLINT(concurrency-mt-unsafe): one thread
        setenv("SWITCHYARD_FAKE_NVML", (folder() / "script").c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
    }
    ~Driver() override {
        unsetenv("LD_LIBRARY_PATH");       // NOLINT(concurrency-mt-unsafe): one thread
        unsetenv("SWITCHYARD_FAKE_NVML");  // NOLINT(concurrency-mt-unsafe): one thread
    }
    void has(const std::string& cards) const { file("script", cards); }
};

TEST_F(Driver, IsShownCardByCardByTheDoctor) {
    has("0 used 5000000000\n0 temperature 71\n0 utilization 93\n0 power 412000\n0 process 4242 4000000000\n"
        "0 process 4343 unknown\n1 fails temperature 3\n");
    const Outcome result = run("doctor");
    EXPECT_NE(
        result.out.find("ok       gpu 0       NVIDIA Fake-SXM9-80GB, 5.0 of 80.0 GB in use, 71 C, 93 % busy, 412 W, "
                        "processes 4242 (4.0 GB) 4343, GPU-fake-0\n"),
        std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("NVIDIA Fake-SXM9-80GB, 1.0 of 80.0 GB in use, 0 % busy, 70 W, no processes, GPU-fake-1"),
              std::string::npos)
        << result.out;
}

TEST_F(Driver, IsShownInFullAsJson) {
    has("0 used 5000000000\n0 process 4242 4000000000\n1 fails temperature 3\n1 mig MIG-a\n");
    const auto gpus = nlohmann::json::parse(run("doctor --json").out).at("gpus");
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[0].at("uuid"), "GPU-fake-0");
    EXPECT_EQ(gpus[0].at("kind"), "fake");
    EXPECT_EQ(gpus[0].at("memory_used_bytes"), 5'000'000'000);
    EXPECT_EQ(gpus[0].at("processes").at(0).at("pid"), 4242);
    EXPECT_EQ(gpus[0].at("simulated"), false);
    EXPECT_TRUE(gpus[1].at("temperature_c").is_null());
    EXPECT_EQ(gpus[1].at("mig").at(0), "MIG-a");
}

TEST_F(Driver, WithALostCardIsPoorAndHasARemedy) {
    has("cards 3\n0 fails handle 15\n1 ecc 3\n");
    const Outcome result = run("doctor");
    EXPECT_NE(result.out.find("poor     gpu 0       GPU 0: GPU is lost\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("poor     gpu 1       NVIDIA Fake-SXM9-80GB: ECC errors that cannot be corrected, "),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("ok       gpu 2 "), std::string::npos) << result.out;
    const auto document = nlohmann::json::parse(run("doctor --json").out);
    for (const auto& finding : document.at("findings"))
        EXPECT_EQ(finding.at("state") == "ok", finding.at("remedy") == "") << finding;
}

TEST_F(Driver, WithALostCardIsNotServed) {
    has("1 fails handle 15\n");
    const Outcome result = run("serve --folder served");
    EXPECT_EQ(result.exit, 1);
    EXPECT_NE(result.err.find("GPU 1 cannot be used: GPU is lost"), std::string::npos) << result.err;
}

TEST_F(Driver, ShowsEachTaskItsCardByUuid) {
    has("cards 1\n");
    file("try.sh",
         "export SWITCHYARD_FOLDER=$PWD/served\n"
         "\"$1\" serve 2>serve.log & server=$!\n"
         "until \"$1\" queue >queue 2>&1 || ! kill -0 $server; do sleep 0.02; done\n"
         "\"$1\" submit --wait -- sh -c 'echo sees $CUDA_VISIBLE_DEVICES' >submitted\n"
         "\"$1\" logs 1\n"
         "kill $server\n"
         "wait $server\n");
    const Outcome result = run("version >version && sh try.sh '" SWITCHYARD_BINARY "'");
    EXPECT_EQ(result.out, "sees GPU-fake-0\n") << result.err << made("serve.log");
    EXPECT_EQ(result.exit, 0) << made("serve.log");
}

TEST_F(Cli, TheExampleOfSimulatedDevicesIsValid) {
    const std::string example = SWITCHYARD_SOURCE_DIR "/examples/devices.yaml";
    EXPECT_EQ(run("validate '" + example + "'").out, "valid devices: 5 simulated GPUs, 5 faults\n");
    EXPECT_EQ(nlohmann::json::parse(run("validate --json '" + example + "'").out).at("kind"), "devices");
}

TEST_F(Cli, AWrongDeviceFileIsRefusedWithPlaceRuleAndFix) {
    file("d.yaml", "gpus:\n  - {memory_gb: 80}\nfaults:\n  - {gpu: 1, at_s: 3, what: lost}\n");
    for (const char* command : {"validate d.yaml", "serve --folder served --gpus simulated:d.yaml"}) {
        const Outcome result = run(command);
        EXPECT_EQ(result.exit, 3) << command;
        EXPECT_EQ(result.err,
                  "switchyard: d.yaml:4:11: gpu of this entry of faults is '1', it must be a whole number from 0 to 0\n"
                  "  fix: write a whole number from 0 to 0\n")
            << command;
    }
    EXPECT_EQ(run("serve --folder served --gpus simulated:lots").exit, 2);
    EXPECT_EQ(run("serve --folder served --gpus simulated:nowhere.yaml").exit, 3);
}

TEST_F(Cli, TheDeviceSchemaNamesExactlyTheKeysThatAreRead) {
    const auto schema = nlohmann::json::parse(contents(SWITCHYARD_SOURCE_DIR "/docs/schema/devices.schema.json"));
    const auto in_schema = [&](const char* list) {
        std::vector<std::string> keys;
        for (const auto& [key, rule] : schema.at("properties").at(list).at("items").at("properties").items())
            keys.push_back(key);
        return keys;
    };
    const auto read = [&](const std::string& text) {
        file("d.yaml", text);
        const std::string complaint = run("validate d.yaml").err;
        std::vector<std::string> keys;
        std::istringstream words(complaint.substr(complaint.find("known keys: ") + 12));
        for (std::string word; words >> word;) keys.push_back(word.substr(0, word.find(',')));
        std::sort(keys.begin(), keys.end());
        return keys;
    };
    EXPECT_EQ(in_schema("gpus"), read("gpus: [{zzzzzzzzzzzz: 1}]\n"));
    EXPECT_EQ(in_schema("faults"), read("gpus: [{memory_gb: 1}]\nfaults: [{zzzzzzzzzzzz: 1}]\n"));
}

}  // namespace
}  // namespace sy::cli
