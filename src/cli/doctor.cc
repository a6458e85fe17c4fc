// switchyard doctor: what is here, what is missing, and what to do about it.
#include <memory>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/gpu_report.h"
#include "service/device/nvml.h"
#include "service/host/host.h"

namespace sy::cli {

namespace {

enum class State { good, missing, poor };

struct Finding {
    std::string what;
    State state = State::good;
    std::string found;
    std::string remedy;  ///< Empty where all is well.
};

struct Findings {
    std::vector<Finding> list;
    nlohmann::ordered_json gpus = nlohmann::ordered_json::array();  ///< In full.
};

constexpr std::uint64_t kWantedFiles = 4096;
constexpr Bytes kWantedRoom = gigabytes(1);
constexpr std::uint16_t kRedisPort = 6379;

std::string in_gb(Bytes bytes) {
    return fmt::format("{:.1f} GB", static_cast<double>(bytes.value()) / 1e9);
}

void examine_gpu(std::size_t index, const device::Identity& gpu, const device::Reading& reading, Findings& findings) {
    const bool well = reading.error.empty();
    findings.list.push_back(
        {fmt::format("gpu {}", index), well ? State::good : State::poor, gpu_line(gpu, reading),
         well ? "" : "reset it while nobody uses it (nvidia-smi -r), then reboot; if it comes back, have it replaced"});
    findings.gpus.push_back(gpu_json(gpu, reading));
}

void examine_gpus(Findings& findings) {
    auto nvml = device::Nvml::open();
    if (!nvml) {
        findings.list.push_back({"driver", State::missing, nvml.error().message, nvml.error().fix});
        findings.list.push_back({"gpus", State::missing, "none", "planning and simulation need none"});
        return;
    }
    device::Nvml& devices = **nvml;
    const auto version = devices.driver_version();
    findings.list.push_back(version ? Finding{"driver", State::good, "NVIDIA " + *version, {}}
                                    : Finding{"driver", State::poor, version.error().message, version.error().fix});
    if (devices.identities().empty())
        findings.list.push_back(
            {"gpus", State::missing, "the driver shows none", "is a card present and not hidden from us?"});
    const auto readings = devices.read(kStart);
    for (std::size_t i = 0; i < readings.size(); ++i) examine_gpu(i, devices.identities()[i], readings[i], findings);
}

Finding examine_program(const std::string& what, const std::string& program, const std::string& remedy) {
    const auto path = host::find_program(program);
    return path ? Finding{what, State::good, *path, {}} : Finding{what, State::missing, program + " not found", remedy};
}

void examine_machine(std::vector<Finding>& findings) {
    findings.push_back({"machine",
                        State::good,
                        fmt::format("{} cores, {} memory", host::core_count(), in_gb(host::memory_total())),
                        {}});
    const std::uint64_t files = host::open_file_limit();
    findings.push_back({"open files", files >= kWantedFiles ? State::good : State::poor, fmt::format("{}", files),
                        files >= kWantedFiles ? "" : fmt::format("ulimit -n {}", kWantedFiles)});
    const Bytes room = host::room_in(".");
    findings.push_back({"disk", room >= kWantedRoom ? State::good : State::poor, in_gb(room) + " left in this folder",
                        room >= kWantedRoom ? "" : "make room: the store needs some to keep its promises"});
    const bool cgroup2 = host::has_cgroup2();
    findings.push_back({"cgroups", cgroup2 ? State::good : State::missing,
                        cgroup2 ? "version 2" : "version 2 not mounted",
                        cgroup2 ? "" : "tasks will be limited by rlimits only"});

    const bool sqlite = host::has_library("libsqlite3.so.0");
    findings.push_back({"sqlite", sqlite ? State::good : State::missing,
                        sqlite ? "libsqlite3.so.0" : "library not found",
                        sqlite ? "" : "apt-get install libsqlite3-0 (embedded store)"});
    const bool redis = host::redis_answers(kRedisPort);
    findings.push_back({"redis", redis ? State::good : State::missing,
                        redis ? fmt::format("answers on 127.0.0.1:{}", kRedisPort)
                              : fmt::format("no answer on 127.0.0.1:{}", kRedisPort),
                        redis ? "" : "needed only where several servers share a store: apt-get install redis-server"});
    findings.push_back(
        examine_program("slurm", "sbatch", "needed only to run under Slurm: apt-get install slurm-client"));
}

const char* word_for(State state) {
    switch (state) {
        case State::good: return "ok";
        case State::missing: return "missing";
        case State::poor: return "poor";
    }
    return "?";
}

void print(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        fmt::print("{:<8} {:<11} {}\n", word_for(finding.state), finding.what, finding.found);
        if (!finding.remedy.empty()) fmt::print("{:<8} {:<11} -> {}\n", "", "", finding.remedy);
    }
}

nlohmann::ordered_json to_json(const Findings& findings) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding& finding : findings.list)
        list.push_back({{"what", finding.what},
                        {"state", word_for(finding.state)},
                        {"found", finding.found},
                        {"remedy", finding.remedy}});
    return {{"findings", list}, {"gpus", findings.gpus}};
}

}  // namespace

Command doctor_command() {
    const auto json = std::make_shared<bool>(false);
    return {.name = "doctor",
            .summary = "Tell what this machine has, what is missing, and the remedy for each",
            .examples = "  switchyard doctor\n  switchyard doctor --json",
            .options = {{"--json", "", "Print one JSON document", json.get()}},
            .run = [json] {
                Findings findings;
                examine_gpus(findings);
                examine_machine(findings.list);
                if (*json) {
                    fmt::print("{}\n", to_json(findings).dump(2));
                } else {
                    print(findings.list);
                }
                return Exit::done;
            }};
}

}  // namespace sy::cli
