#include "service/device/nvml.h"

#include <csignal>
#include <cstdlib>
#include <fstream>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "service/test_folder.h"

namespace sy::device {
namespace {

/// Fake cards that a test changes while they are looked at.
class Cards : public testing::Test {
protected:
    Cards() { setenv("SWITCHYARD_FAKE_NVML", path_.c_str(), 1); }  // NOLINT(concurrency-mt-unsafe): one thread
    ~Cards() override { unsetenv("SWITCHYARD_FAKE_NVML"); }        // NOLINT(concurrency-mt-unsafe): one thread

    void are(const std::string& script) const { std::ofstream(path_) << script; }
    void open(const std::string& library = FAKE_NVML) {
        auto opened = Nvml::open(library);
        ASSERT_TRUE(opened) << opened.error().message;
        nvml_ = std::move(*opened);
    }
    Reading read(std::size_t gpu = 0) { return nvml_->read(kStart).at(gpu); }

    service_test::TestFolder folder_;
    std::string path_ = folder_.path() + "/script";
    std::unique_ptr<Nvml> nvml_;
};

TEST_F(Cards, AreKnownByUuidNameKindAndMemory) {
    open();
    EXPECT_EQ(nvml_->driver_version().value(), "999.1");
    ASSERT_EQ(nvml_->identities().size(), 2U);
    const Identity& second = nvml_->identities()[1];
    EXPECT_EQ(second.uuid, "GPU-fake-1");
    EXPECT_EQ(second.name, "NVIDIA Fake-SXM9-80GB");
    EXPECT_EQ(second.kind, "fake");
    EXPECT_EQ(second.memory, gigabytes(80));
    EXPECT_TRUE(second.mig.empty());
    EXPECT_FALSE(second.simulated);
}

TEST_F(Cards, TellHowTheyAre) {
    are("1 used 5000000000\n1 utilization 93\n1 temperature 71\n1 power 412500\n1 clock 1980\n1 ecc 0\n");
    open();
    const Reading reading = read(1);
    EXPECT_EQ(reading.memory_used, gigabytes(5));
    EXPECT_EQ(reading.utilization_percent, 93);
    EXPECT_EQ(reading.temperature_c, 71);
    EXPECT_EQ(reading.power_w, 412.5);
    EXPECT_EQ(reading.sm_clock_mhz, 1980);
    EXPECT_EQ(reading.ecc_uncorrected, 0U);
    EXPECT_TRUE(reading.xids.empty());
    EXPECT_EQ(reading.error, "");
    EXPECT_EQ(read(0).memory_used, gigabytes(1)) << "the other is as it was";
}

TEST_F(Cards, LeaveAwayWhatTheyDoNotKnow) {
    are("0 fails utilization 3\n0 fails temperature 3\n0 fails power 3\n0 fails clock 3\n0 fails ecc 3\n"
        "0 fails process 3\n0 fails events 3\n");
    open();
    const Reading reading = read();
    EXPECT_EQ(reading.utilization_percent, std::nullopt);
    EXPECT_EQ(reading.temperature_c, std::nullopt);
    EXPECT_EQ(reading.power_w, std::nullopt);
    EXPECT_EQ(reading.sm_clock_mhz, std::nullopt);
    EXPECT_EQ(reading.ecc_uncorrected, std::nullopt);
    EXPECT_EQ(reading.memory_used, gigabytes(1));
    EXPECT_EQ(reading.error, "") << "a card that tells little is a good card";
}

TEST_F(Cards, ShowStrangersThatComeAndGo) {
    open();
    EXPECT_TRUE(read().processes.empty());
    are("0 used 31000000000\n0 process 4242 30000000000\n0 process 4343 unknown\n");
    const Reading busy = read();
    EXPECT_EQ(busy.memory_used, gigabytes(31));
    ASSERT_EQ(busy.processes.size(), 2U);
    EXPECT_EQ(busy.processes[0].pid, 4242);
    EXPECT_EQ(busy.processes[0].memory, gigabytes(30));
    EXPECT_EQ(busy.processes[1].pid, 4343);
    EXPECT_EQ(busy.processes[1].memory, std::nullopt);
    are("");
    EXPECT_TRUE(read().processes.empty());
    EXPECT_EQ(read().memory_used, gigabytes(1));
}

TEST_F(Cards, ListHundredsOfProcesses) {
    std::string script;
    for (int i = 1; i <= 300; ++i) script += "0 process " + std::to_string(i) + " 1000\n";
    are(script);
    open();
    ASSERT_EQ(read().processes.size(), 300U);
    EXPECT_EQ(read().processes.back().pid, 300);
}

TEST_F(Cards, AreAnErrorWhenLostAndFineWhenBack) {
    open();
    are("0 fails all 15\n");
    EXPECT_EQ(read(0).error, "GPU is lost");
    EXPECT_EQ(read(0).temperature_c, std::nullopt);
    EXPECT_EQ(read(1).error, "");
    are("0 fails all 16\n");
    EXPECT_EQ(read(0).error, "GPU requires reset");
    are("");
    EXPECT_EQ(read(0).error, "");
    EXPECT_EQ(read(0).temperature_c, 30);
}

TEST_F(Cards, AreAnErrorWhenLostInTheMiddleOfALook) {
    are("0 fails power 15\n");
    open();
    EXPECT_EQ(read().error, "GPU is lost");
}

TEST_F(Cards, AreAnErrorWhenTheirMemoryCannotBeRead) {
    open();
    are("0 fails used 999\n");
    EXPECT_EQ(read().error, "its memory cannot be read: Unknown Error");
}

TEST_F(Cards, AreAnErrorWhenMemoryErrorsCannotBeCorrected) {
    are("0 ecc 2\n");
    open();
    EXPECT_EQ(read().ecc_uncorrected, 2U);
    EXPECT_EQ(read().error, "ECC errors that cannot be corrected");
}

TEST_F(Cards, TellOfAnXidOnce) {
    open();
    are("1 xid 79\n1 xid 48\n");
    const auto readings = nvml_->read(kStart);
    EXPECT_TRUE(readings[0].xids.empty());
    EXPECT_EQ(readings[1].xids, (std::vector<std::uint64_t>{79, 48}));
    EXPECT_EQ(readings[1].error, "XID 79");
    EXPECT_TRUE(read(1).xids.empty());
    EXPECT_EQ(read(1).error, "");
}

TEST_F(Cards, AreNotBlamedForAProgramsXid) {
    open();
    are("0 xid 31\n");
    const Reading reading = read();
    EXPECT_EQ(reading.xids, std::vector<std::uint64_t>{31});
    EXPECT_EQ(reading.error, "");
}

TEST_F(Cards, NameTheirSlices) {
    are("1 mig MIG-a\n1 mig MIG-b\n");
    open();
    EXPECT_TRUE(nvml_->identities()[0].mig.empty());
    EXPECT_EQ(nvml_->identities()[1].mig, (std::vector<std::string>{"MIG-a", "MIG-b"}));
}

TEST_F(Cards, ThatCannotBeOpenedAreShownWithTheReason) {
    are("cards 3\n1 fails handle 15\n");
    open();
    ASSERT_EQ(nvml_->identities().size(), 3U);
    EXPECT_EQ(nvml_->identities()[1].uuid, "");
    EXPECT_EQ(nvml_->identities()[1].name, "GPU 1");
    EXPECT_EQ(read(1).error, "GPU is lost");
    EXPECT_EQ(read(2).error, "");
}

TEST_F(Cards, HiddenFromUsAreNotOurs) {
    are("cards 3\n0 fails handle 4\n");
    open();
    ASSERT_EQ(nvml_->identities().size(), 2U);
    EXPECT_EQ(nvml_->identities()[0].uuid, "GPU-fake-1");
}

TEST_F(Cards, OfAnOldDriverTellWhatItKnows) {
    are("0 process 7 1000\n0 process 8 2000\n0 process 9 3000\n0 temperature 50\n0 xid 79\n0 mig MIG-a\n");
    open(FAKE_NVML_OLD);
    const Reading reading = read();
    EXPECT_EQ(reading.temperature_c, 50);
    EXPECT_TRUE(reading.xids.empty());
    EXPECT_TRUE(nvml_->identities()[0].mig.empty());
    ASSERT_EQ(reading.processes.size(), 3U);
    EXPECT_EQ(reading.processes[2].pid, 9);
    EXPECT_EQ(reading.processes[2].memory, Bytes(3000));
}

TEST_F(Cards, OfADriverWithWiderRecordsAreReadAlike) {
    are("0 process 7 1000\n0 process 8 2000\n0 process 9 3000\n");
    open(FAKE_NVML_WIDE);
    const Reading reading = read();
    ASSERT_EQ(reading.processes.size(), 3U);
    EXPECT_EQ(reading.processes[1].pid, 8);
    EXPECT_EQ(reading.processes[2].memory, Bytes(3000));
}

TEST_F(Cards, AreWatchedByThreadsThatTakeNoSignals) {
    open();
    read();
    void* library = dlopen(FAKE_NVML, RTLD_NOW);
    const auto signals_get_through = reinterpret_cast<int (*)()>(dlsym(library, "fakeSignalsGetThrough"));
    EXPECT_EQ(signals_get_through(), 0) << "the driver's library starts threads, and SIGTERM is not for them";
    dlclose(library);
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGTERM), 0) << "ours takes them as before";
}

TEST(Nvml, SaysThatTheLibraryIsMissingAndWhatToDo) {
    const auto nvml = Nvml::open("libnobody-has-this.so.1");
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "libnobody-has-this.so.1 is not on this machine");
    EXPECT_NE(nvml.error().fix, "");
}

TEST(Nvml, RefusesALibraryThatLacksTheCalls) {
    const auto nvml = Nvml::open("libm.so.6");
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "libm.so.6 lacks calls we need");
}

TEST(Nvml, PassesOnWhyTheDriverDoesNotStart) {
    setenv("FAKE_NVML_BROKEN", "1", 1);  // NOLINT(concurrency-mt-unsafe): one thread
    const auto nvml = Nvml::open(FAKE_NVML);
    unsetenv("FAKE_NVML_BROKEN");  // NOLINT(concurrency-mt-unsafe): one thread
    ASSERT_FALSE(nvml.has_value());
    EXPECT_EQ(nvml.error().message, "NVML cannot start: Driver Not Loaded");
}

}  // namespace
}  // namespace sy::device
