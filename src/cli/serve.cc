// switchyard serve and switchyard worker: the live service.
#include "service/server/serve.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/build_info.h"
#include "cli/commands.h"
#include "cli/remote.h"
#include "core/place/registry.h"
#include "core/queue/registry.h"
#include "core/schedule/fit.h"
#include "input/reading.h"
#include "service/device/devices.h"
#include "service/loop/loop.h"
#include "service/worker/worker.h"

namespace sy::cli {

namespace {

struct Arguments {
    std::string folder;
    std::string listen;
    std::string gpus = "auto";
    std::string order = "priority";
    std::string fit = "easy";
    std::string place = "first-fit";
};

/// Everything the service must know of its GPUs. One that cannot be opened has no UUID to show it to tasks by.
Result<void> use_devices(std::shared_ptr<device::Devices> devices, server::ServeOptions& options) {
    const auto& identities = devices->identities();
    for (std::size_t i = 0; i < identities.size(); ++i) {
        const device::Identity& gpu = identities[i];
        if (gpu.uuid.empty())
            return fail(Fault::failed,
                        fmt::format("{} cannot be used: {}", gpu.name, devices->read(loop::Loop::now())[i].error),
                        "reset it, or hide it from the driver; 'switchyard doctor' shows every GPU");
        options.gpus.push_back({gpu.memory});
        if (!gpu.simulated) options.visible.push_back(gpu.uuid);
        options.simulated = options.simulated || gpu.simulated;
    }
    options.devices = std::move(devices);
    return {};
}

Result<void> read_listen(const std::string& text, server::ServeOptions& options) {
    if (text.empty()) return {};
    const std::size_t colon = text.rfind(':');
    const auto port = colon == std::string::npos
                          ? std::nullopt
                          : input::parse_number<std::uint16_t>(std::string_view(text).substr(colon + 1));
    if (!port)
        return fail(Fault::usage, fmt::format("--listen is '{}', it must be an address and a port", text),
                    "for example 127.0.0.1:7878");
    options.address = text.substr(0, colon);
    options.port = *port;
    if (options.address.starts_with("127.")) return {};
    return fail(Fault::usage, fmt::format("--listen {} can be reached from outside, and there is no token yet", text),
                "listen on 127.0.0.1");
}

void say(const std::string& text) {
    fmt::print(stderr, "{:%Y-%m-%d %H:%M:%S} {}\n", fmt::localtime(std::time(nullptr)), text);
}

Exit run_serve(const Arguments& a) {
    auto devices = device::open_devices(a.gpus);
    if (!devices) return complain(devices.error());
    server::ServeOptions options;
    if (const auto used = use_devices(std::move(*devices), options); !used) return complain(used.error());
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    options.folder = std::filesystem::absolute(service_folder(a.folder)).string();
    options.version = kVersion;
    options.settings.policy.order = a.order;
    options.settings.policy.fit = a.fit;
    options.settings.policy.place = a.place;
    if (const auto fine = schedule::make_live_scheduler(options.settings.policy); !fine) return complain(fine.error());
    if (const auto read = read_listen(a.listen, options); !read) return complain(read.error());
    options.say = say;
    options.ready = [&](std::uint16_t port) {
        const std::string tcp = port == 0 ? "" : fmt::format(" and http://{}:{}", options.address, port);
        say(fmt::format("{} {}GPUs, requests at {}/api.sock{}", options.gpus.size(),
                        options.simulated ? "simulated " : "", options.folder, tcp));
    };
    const auto served = server::serve(options);
    return served ? Exit::done : complain(served.error());
}

struct WorkerArguments {
    std::string folder;
    std::uint64_t gpu = 0;
    std::string visible;
};

}  // namespace

Command serve_command() {
    const auto a = std::make_shared<Arguments>();
    return {
        .name = "serve",
        .summary = "Run the live service on this machine",
        .examples =
            "  switchyard serve\n"
            "  switchyard serve --gpus simulated:8 --folder /tmp/try\n"
            "  switchyard serve --gpus simulated:examples/devices.yaml\n"
            "  switchyard serve --order fair --fit easy --place consolidate",
        .options = {{"--folder", "DIR", "What it keeps (default: SWITCHYARD_FOLDER, or ~/.local/share/switchyard)",
                     &a->folder},
                    {"--gpus", "G",
                     "auto: what the driver shows; simulated:N or simulated:FILE for a machine without (default auto)",
                     &a->gpus},
                    {"--listen", "A:P",
                     "Address and port for HTTP over TCP, open to every user of this machine (default: none)",
                     &a->listen},
                    {"--order", "O", "Who is next (default priority)", &a->order},
                    {"--fit", "F", "When the next one finds no room (default easy)", &a->fit},
                    {"--place", "P", "Where (default first-fit)", &a->place}},
        .run = [a] { return run_serve(*a); }};
}

Command worker_command() {
    const auto a = std::make_shared<WorkerArguments>();
    return {.name = "worker",
            .summary = "Run tasks on one GPU for a service on this machine (`serve` starts these by itself)",
            .examples = "  switchyard worker --folder /tmp/try --gpu 0",
            .options = {{"--folder", "DIR", "The service's folder", &a->folder},
                        {"--gpu", "N", "Which GPU (default 0)", &a->gpu},
                        {"--visible", "V", "What tasks see as CUDA_VISIBLE_DEVICES", &a->visible}},
            .run = [a] {
                worker::Options options;
                options.gpu = GpuId(static_cast<std::uint32_t>(a->gpu));
                options.folder = service_folder(a->folder);
                options.visible = a->visible;
                const auto ran = worker::run(options);
                return ran ? Exit::done : complain(ran.error());
            }};
}

}  // namespace sy::cli
