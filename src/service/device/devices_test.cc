#include "service/device/devices.h"

#include <fstream>

#include <gtest/gtest.h>

#include "service/test_folder.h"

namespace sy::device {
namespace {

/// Simulated GPUs from a file's text.
class Simulation : public testing::Test {
protected:
    void is(const std::string& text) {
        const std::string path = folder_.path() + "/devices.yaml";
        std::ofstream(path) << text;
        auto opened = open_devices("simulated:" + path);
        ASSERT_TRUE(opened) << opened.error().message;
        devices_ = std::move(*opened);
    }
    /// The service may start at any time of the clock.
    Reading at(Duration since_start, std::size_t gpu = 0) {
        return devices_->read(kStart + 1000h + since_start).at(gpu);
    }

    service_test::TestFolder folder_;
    std::unique_ptr<Devices> devices_;
};

TEST(Devices, AreCountedOnTheCommandLine) {
    const auto eight = open_devices("simulated:8");
    ASSERT_TRUE(eight) << eight.error().message;
    ASSERT_EQ((*eight)->identities().size(), 8U);
    EXPECT_EQ((*eight)->identities()[7].memory, gigabytes(80));
    const auto small = open_devices("simulated:2x24");
    EXPECT_EQ((*small)->identities()[1].memory, gigabytes(24));
    EXPECT_EQ((*small)->read(kStart).size(), 2U);
}

TEST(Devices, ThatAreSimulatedSaySo) {
    const auto devices = open_devices("simulated:2");
    const Identity& second = (*devices)->identities()[1];
    EXPECT_TRUE(second.simulated);
    EXPECT_EQ(second.uuid, "SIMULATED-1");
    EXPECT_EQ(second.name, "simulated");
}

TEST(Devices, RefusesWhatNamesNone) {
    for (const char* spec : {"", "cuda", "simulated", "simulated:", "simulated:0", "simulated:1025", "simulated:x",
                             "simulated:8x", "simulated:8x0", "simulated:-1", "simulated:8x80x2"}) {
        const auto devices = open_devices(spec);
        ASSERT_FALSE(devices) << spec;
        EXPECT_EQ(devices.error().fault, Fault::usage) << spec;
        EXPECT_NE(devices.error().fix, "") << spec;
    }
    EXPECT_TRUE(open_devices("simulated:1024"));
    EXPECT_EQ(open_devices("simulated:nowhere.yaml").error().fault, Fault::invalid_input);
    EXPECT_EQ(open_devices("simulated:no/where").error().fault, Fault::invalid_input);
}

TEST_F(Simulation, HasWhatTheFileSays) {
    is("gpus:\n  - {kind: a100, memory_gb: 80, gb_per_s: 16, count: 2}\n  - {memory_gb: 48}\n");
    ASSERT_EQ(devices_->identities().size(), 3U);
    EXPECT_EQ(devices_->identities()[1].kind, "a100");
    EXPECT_EQ(devices_->identities()[1].name, "simulated a100");
    EXPECT_EQ(devices_->identities()[1].bandwidth, gigabytes(16));
    EXPECT_EQ(devices_->identities()[2].memory, gigabytes(48));
    const Reading calm = at(0s);
    EXPECT_EQ(calm.memory_used, Bytes(0));
    EXPECT_EQ(calm.temperature_c, 40);
    EXPECT_EQ(calm.utilization_percent, std::nullopt) << "nothing is measured";
    EXPECT_EQ(calm.error, "");
}

TEST_F(Simulation, LosesAGpuOnScheduleAndGivesItBack) {
    is("gpus: [{memory_gb: 80, count: 2}]\nfaults: [{gpu: 1, at_s: 30, for_s: 20, what: lost}]\n");
    EXPECT_EQ(at(0s, 1).error, "");
    EXPECT_EQ(at(30s - Duration(1), 1).error, "");
    EXPECT_EQ(at(30s, 1).error, "GPU is lost");
    EXPECT_EQ(at(30s, 1).temperature_c, std::nullopt);
    EXPECT_EQ(at(30s, 0).error, "");
    EXPECT_EQ(at(50s - Duration(1), 1).error, "GPU is lost");
    EXPECT_EQ(at(50s, 1).error, "");
}

TEST_F(Simulation, HasStrangersThatComeAndGo) {
    is("gpus: [{memory_gb: 40}]\nfaults:\n"
       "  - {gpu: 0, at_s: 10, for_s: 10, what: stranger, memory_gb: 30}\n"
       "  - {gpu: 0, at_s: 15, for_s: 10, what: stranger, memory_gb: 20}\n");
    EXPECT_EQ(at(0s).memory_used, Bytes(0));
    EXPECT_EQ(at(10s).memory_used, gigabytes(30));
    ASSERT_EQ(at(10s).processes.size(), 1U);
    EXPECT_EQ(at(10s).processes[0].memory, gigabytes(30));
    EXPECT_EQ(at(15s).memory_used, gigabytes(40)) << "never more than there is";
    EXPECT_EQ(at(20s).memory_used, gigabytes(20));
    EXPECT_EQ(at(25s).memory_used, Bytes(0));
}

TEST_F(Simulation, TellsOfAnXidOnceAndIsOutOfOrderForItsTime) {
    is("gpus: [{memory_gb: 80}]\nfaults: [{gpu: 0, at_s: 10, for_s: 5, what: xid, xid: 79}]\n");
    EXPECT_TRUE(at(0s).xids.empty());
    const Reading first = at(12s);
    EXPECT_EQ(first.xids, std::vector<std::uint64_t>{79});
    EXPECT_EQ(first.error, "XID 79");
    EXPECT_TRUE(at(13s).xids.empty());
    EXPECT_EQ(at(13s).error, "XID 79");
    EXPECT_EQ(at(15s).error, "");
}

TEST_F(Simulation, DoesNotForgetAnXidBetweenTwoLooks) {
    is("gpus: [{memory_gb: 80}]\nfaults: [{gpu: 0, at_s: 10, for_s: 5, what: xid, xid: 31}]\n");
    EXPECT_TRUE(at(0s).xids.empty());
    EXPECT_EQ(at(60s).xids, std::vector<std::uint64_t>{31});
    EXPECT_EQ(at(60s).error, "");
}

TEST_F(Simulation, GetsHotAndHasMemoryErrorsForGood) {
    is("gpus: [{memory_gb: 80}]\nfaults:\n"
       "  - {gpu: 0, at_s: 10, for_s: 1, what: hot, celsius: 95}\n"
       "  - {gpu: 0, at_s: 20, what: ecc}\n");
    EXPECT_EQ(at(0s).ecc_uncorrected, 0U);
    EXPECT_EQ(at(10s).temperature_c, 95);
    EXPECT_EQ(at(10s).error, "") << "a hot GPU still works";
    EXPECT_EQ(at(11s).temperature_c, 40);
    EXPECT_EQ(at(20s).ecc_uncorrected, 1U);
    EXPECT_EQ(at(1000h).error, "ECC errors that cannot be corrected");
}

TEST_F(Simulation, RefusesAWrongFileWithItsPlace) {
    const std::string path = folder_.path() + "/wrong.yaml";
    std::ofstream(path) << "gpus:\n  - {memory_gb: none}\n";
    const auto devices = open_devices("simulated:" + path);
    ASSERT_FALSE(devices);
    EXPECT_EQ(devices.error().fault, Fault::invalid_input);
    EXPECT_NE(devices.error().message.find("wrong.yaml:2:17: memory_gb"), std::string::npos) << devices.error().message;
}

}  // namespace
}  // namespace sy::device
