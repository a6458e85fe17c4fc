// switchyard worker: tasks on this machine's GPUs for a service elsewhere, or on one GPU for the service here.
#include "service/worker/worker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/build_info.h"
#include "cli/commands.h"
#include "cli/gpus_to_use.h"
#include "cli/remote.h"
#include "input/reading.h"
#include "service/http/leader.h"
#include "service/outpost/outpost.h"
#include "service/wire/host_messages.h"

namespace sy::cli {

namespace {

struct WorkerArguments {
    std::string folder;
    // For a service elsewhere.
    ServerArguments server;
    std::string name;
    std::string gpus = "auto";
    std::uint64_t margin_mb = 2000;
    double leave_after = 0;
    // As `serve` and such a host start them, one a GPU.
    std::string gpu;
    std::string visible;
    double heartbeat_interval = to_seconds(Timing{}.heartbeat_interval);
    double heartbeat_timeout = to_seconds(Timing{}.heartbeat_timeout);
    double stop_grace = to_seconds(Timing{}.stop_grace);
    std::uint64_t max_log_bytes = worker::Options{}.most_log_bytes;
};

Duration duration_of(double seconds) {
    return Duration(std::llround(seconds * 1e9));
}

Exit run_one(const WorkerArguments& a) {
    const auto gpu = input::parse_number<std::uint32_t>(a.gpu);
    if (!gpu)
        return complain(
            {Fault::usage, fmt::format("--gpu is '{}', it must be a number", a.gpu), "for example --gpu 0"});
    worker::Options options;
    options.gpu = GpuId(*gpu);
    options.folder = service_folder(a.folder);
    options.visible = a.visible;
    options.most_log_bytes = a.max_log_bytes;
    options.timing.heartbeat_interval = duration_of(a.heartbeat_interval);
    options.timing.heartbeat_timeout = duration_of(a.heartbeat_timeout);
    options.timing.stop_grace = duration_of(a.stop_grace);
    if (options.timing.heartbeat_interval <= Duration::zero() ||
        options.timing.lease() <= options.timing.heartbeat_interval)
        return complain({Fault::usage, "--heartbeat-timeout leaves no lease between two heartbeats",
                         "take the figures of the service that this worker is for"});
    const auto ran = worker::run(options);
    return ran ? Exit::done : complain(ran.error());
}

std::string name_of_machine() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    return host.data();
}

Exit run_host(const WorkerArguments& a) {
    const std::string name = a.name.empty() ? name_of_machine() : a.name;
    if (!wire::is_host_name(name))
        return complain(
            {Fault::usage, wire::why_no_host_name(name), "give it one with --name, as in --name rack1-node4"});
    auto gpus = gpus_to_use(a.gpus, Bytes(a.margin_mb * 1'000'000));
    if (!gpus) return complain(gpus.error());
    auto bearer = bearer_of(a.server);
    if (!bearer) return complain(bearer.error());
    outpost::Options options;
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    options.servers = http::servers_in(server_address(a.server.url));
    options.bearer = std::move(*bearer);
    options.files = client_files_of(a.server);
    options.name = name;
    options.folder = a.folder.empty() ? service_folder("") + "-host" : a.folder;
    options.gpus = std::move(gpus->gpus);
    options.visible = std::move(gpus->visible);
    options.devices = std::move(gpus->devices);
    if (a.leave_after > 0) options.leave_after = duration_of(a.leave_after);
    options.version = kVersion;
    options.say = say_with_time;
    const auto ran = outpost::run(options);
    return ran ? Exit::done : complain(ran.error());
}

}  // namespace

Command worker_command() {
    const auto a = std::make_shared<WorkerArguments>();
    std::vector<Option> options = with_server(
        {{"--name", "HOST", "The host's name, under which its GPUs keep their numbers (default: the machine's)",
          &a->name},
         {"--gpus", "G", "auto: what the driver shows (default); simulated:8 and the like", &a->gpus},
         {"--memory-safety-margin-mb", "N", "Left free on each GPU (default 2000)", &a->margin_mb},
         {"--leave-after", "S", "Leave after so many seconds without work (default: never)", &a->leave_after},
         {"--folder", "DIR", "Of its own (default: ~/.local/share/switchyard-host); with --gpu the service's",
          &a->folder},
         {"--gpu", "N", "For the service of that folder alone, which starts these by itself: which GPU", &a->gpu},
         {"--visible", "V", "With --gpu: what tasks see as CUDA_VISIBLE_DEVICES", &a->visible},
         {"--heartbeat-interval", "S", "With --gpu: as the service has it (default 10)", &a->heartbeat_interval},
         {"--heartbeat-timeout", "S", "With --gpu: as the service has it (default 30)", &a->heartbeat_timeout},
         {"--stop-grace", "S", "With --gpu: as the service has it (default 5)", &a->stop_grace},
         {"--max-log-bytes", "N", "With --gpu: kept of each stream of an attempt", &a->max_log_bytes}},
        a->server);
    return {.name = "worker",
            .summary = "Run tasks on this machine's GPUs for a service elsewhere",
            .examples =
                "  switchyard worker --server https://gpu-master:7878 --token-file host.token\n"
                "  switchyard worker --server http://a:7878,http://b:7878 --name rack1-node4   # whichever leads\n"
                "  switchyard worker --server unix:/tmp/try/api.sock --gpus simulated:2 --folder /tmp/try-host",
            .options = std::move(options),
            .run = [a] { return a->gpu.empty() ? run_host(*a) : run_one(*a); }};
}

}  // namespace sy::cli
