#include "input/device_file.h"

#include <gtest/gtest.h>

namespace sy::input {
namespace {

Result<DeviceFile> read(const std::string& text) {
    return parse_devices(*parse_document(text, "devices.yaml"));
}

TEST(DeviceFile, ListsGpusAndWhatBefallsThem) {
    const auto file = read(R"(
gpus:
  - {kind: a100, memory_gb: 80, gb_per_s: 16, count: 4}
  - {memory_gb: 0.5}
faults:
  - {gpu: 1, at_s: 30, for_s: 20, what: lost}
  - {gpu: 4, at_s: 0.5, what: xid, xid: 79}
  - {gpu: 0, at_s: 0, what: hot, celsius: 95}
  - {gpu: 0, at_s: 0, what: stranger, memory_gb: 30}
)");
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->gpus.size(), 5U);
    EXPECT_EQ(file->gpus[3].kind, "a100");
    EXPECT_EQ(file->gpus[3].memory, gigabytes(80));
    EXPECT_EQ(file->gpus[3].bandwidth, gigabytes(16));
    EXPECT_EQ(file->gpus[4].kind, "simulated");
    EXPECT_EQ(file->gpus[4].memory, Bytes(500'000'000));
    EXPECT_EQ(file->gpus[4].bandwidth, std::nullopt);
    ASSERT_EQ(file->faults.size(), 4U);
    EXPECT_EQ(file->faults[0].what, DeviceFault::What::lost);
    EXPECT_EQ(file->faults[0].from, 30s);
    EXPECT_EQ(file->faults[0].until, 50s);
    EXPECT_EQ(file->faults[1].from, 500ms);
    EXPECT_EQ(file->faults[1].until, Duration::max()) << "for good where not said";
    EXPECT_EQ(file->faults[1].xid, 79U);
    EXPECT_EQ(file->faults[2].celsius, 95);
    EXPECT_EQ(file->faults[3].memory, gigabytes(30));
}

TEST(DeviceFile, SaysWhatIsWrongWithAGpuAndWhere) {
    const auto wrong = [](const std::string& text) { return read(text).error().message; };
    EXPECT_EQ(wrong("{}"), "devices.yaml:1:1: the device file has no gpus");
    EXPECT_EQ(wrong("gpu: 3"), "devices.yaml:1:1: unknown key 'gpu' in the device file");
    EXPECT_EQ(wrong("gpus: 3"), "devices.yaml:1:7: gpus is '3', it must be a list");
    EXPECT_EQ(wrong("gpus: []"), "devices.yaml:1:7: gpus is an empty list");
    EXPECT_EQ(wrong("gpus:\n  - {kind: a100}"), "devices.yaml:2:5: this entry of gpus has no memory_gb");
    EXPECT_EQ(wrong("gpus:\n  - {memory: 80}"), "devices.yaml:2:6: unknown key 'memory' in this entry of gpus");
    EXPECT_EQ(
        wrong("gpus:\n  - {memory_gb: 0}"),
        "devices.yaml:2:17: memory_gb of this entry of gpus is '0', it must be a number above 0 and at most 1000000");
    EXPECT_EQ(wrong("gpus: [{memory_gb: 8, gb_per_s: fast}]"),
              "devices.yaml:1:33: gb_per_s of this entry of gpus is 'fast', it must be a number above 0 and at most "
              "1000000");
    EXPECT_EQ(wrong("gpus: [{memory_gb: 8, kind: }]"),
              "devices.yaml:1:23: kind of this entry of gpus is empty, it must be a single value");
    EXPECT_TRUE(read("gpus: [{memory_gb: 8, count: 1024}]"));
    EXPECT_EQ(wrong("gpus: [{memory_gb: 8, count: 1025}]"),
              "devices.yaml:1:30: count of this entry of gpus is '1025', it must be a whole number from 1 to 1024");
    EXPECT_EQ(wrong("gpus:\n  - {memory_gb: 8, count: 1024}\n  - {memory_gb: 8}"),
              "devices.yaml:3:5: there are 1025 GPUs up to here, the limit is 1024");
}

TEST(DeviceFile, SaysWhatIsWrongWithAFaultAndWhere) {
    const auto wrong = [](const std::string& fault) {
        return read("gpus: [{memory_gb: 80, count: 2}]\nfaults:\n  - " + fault).error().message;
    };
    EXPECT_EQ(wrong("{at_s: 1, what: lost}"), "devices.yaml:3:5: this entry of faults has no gpu");
    EXPECT_EQ(wrong("{gpu: 0, what: lost}"), "devices.yaml:3:5: this entry of faults has no at_s");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1}"), "devices.yaml:3:5: this entry of faults has no what");
    EXPECT_EQ(wrong("{gpu: 2, at_s: 1, what: lost}"),
              "devices.yaml:3:11: gpu of this entry of faults is '2', it must be a whole number from 0 to 1");
    EXPECT_EQ(wrong("{gpu: 0, at_s: -1, what: lost}"),
              "devices.yaml:3:20: at_s of this entry of faults is '-1', it must be seconds, 0 or more and at most "
              "3153600000");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, for_s: 0, what: lost}"),
              "devices.yaml:3:30: for_s of this entry of faults is '0', it must be seconds, above 0 and at most "
              "3153600000");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: fire}"),
              "devices.yaml:3:29: what of this entry of faults is 'fire', it must be one of lost, ecc, xid, hot, "
              "stranger");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: xid}"), "devices.yaml:3:5: this entry of faults has no xid");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: xid, xid: 1000}"),
              "devices.yaml:3:39: xid of this entry of faults is '1000', it must be a whole number from 1 to 999");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: hot, celsius: 151}"),
              "devices.yaml:3:43: celsius of this entry of faults is '151', it must be a number of at least 0 and at "
              "most 150");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: stranger, memory_gb: 81}"),
              "devices.yaml:3:50: memory_gb of this entry of faults is '81', GPU 0 has 80");
    EXPECT_EQ(wrong("{gpu: 0, at_s: 1, what: lost, celsius: 95}"),
              "devices.yaml:3:44: celsius of this entry of faults belongs to what: hot, this is lost");
}

TEST(DeviceFile, EveryRefusalSaysWhatToDo) {
    for (const char* text : {"{}", "gpus: []", "gpus: [{memory_gb: 0}]", "gpus: [{memory_gb: 1}]\nfaults: 3",
                             "gpus: [{memory_gb: 1}]\nfaults: [{gpu: 0, at_s: 0, what: losst}]"})
        EXPECT_NE(read(text).error().fix, "") << text;
    EXPECT_EQ(read("gpus: [{memory_gb: 1}]\nfaults: [{gpu: 0, at_s: 0, what: losst}]").error().fix,
              "did you mean lost?");
}

TEST(DeviceFile, TakesTenThousandFaultsAndNoMore) {
    std::string text = "gpus: [{memory_gb: 1}]\nfaults:\n";
    for (std::size_t i = 0; i < kMostDeviceFaults; ++i) text += "  - {gpu: 0, at_s: 0, what: lost}\n";
    EXPECT_TRUE(read(text));
    EXPECT_EQ(read(text + "  - {gpu: 0, at_s: 0, what: lost}\n").error().message,
              "devices.yaml:3:3: there are 10001 faults, the limit is 10000");
}

}  // namespace
}  // namespace sy::input
