#include "service/round.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "service/ceilings.h"

namespace sy::bench {

Service& Round::open(unsigned gpus, bool models) {
    if (!services_.empty()) services_.back()->end();
    services_.push_back(std::make_unique<Service>(gpus, models ? model_settings() : std::vector<std::string>{}));
    return *services_.back();
}

Service& Round::open_for_hosts() {
    if (!services_.empty()) services_.back()->end();
    services_.push_back(std::make_unique<Service>(0, std::vector<std::string>{"--gpus", "none"}));
    return *services_.back();
}

std::vector<std::string> Round::model_settings() {
    const std::string path = folder_.path() + "/models.yaml";
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::ofstream(path) << fmt::format("models: {{echo: {{command: [{}/example_runner], memory_mb: 2000}}}}\n",
                                       here.string());
    return {"--models-file", path};
}

double Round::fdatasync_us() const {
    return fdatasync_p50_us(folder_.path(), 1000);
}

double Round::forks_per_s() {
    const std::string logs = fmt::format("{}/forks-{}", folder_.path(), ++forks_);
    std::filesystem::create_directory(logs);
    return fork_exec_per_s(logs, 2000);
}

std::vector<Row> bench_ceilings(Round& round) {
    return {{"this machine: a durable write (fdatasync), p50", round.fdatasync_us(), "us", std::nullopt, Aim::at_most},
            {"this machine: fork and exec of /bin/true, two at once, a log each", round.forks_per_s(), "a second",
             std::nullopt, Aim::at_least}};
}

Row no_figure(const std::string& what, const std::string& why, double target, Aim aim) {
    fmt::print(stderr, "{}: {}\n", what, why);
    return {what + ": " + why, std::numeric_limits<double>::quiet_NaN(), "", target, aim};
}

}  // namespace sy::bench
