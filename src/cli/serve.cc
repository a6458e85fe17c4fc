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
#include "service/device/nvml.h"
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

struct Devices {
    std::vector<GpuSpec> gpus;
    std::vector<std::string> visible;
    bool simulated = false;
};

constexpr std::string_view kSimulated = "simulated:";
constexpr std::uint64_t kMostSimulated = 1024;

/// "simulated:8", or "simulated:8x80" for 80 GB each.
Result<Devices> simulated(std::string_view text) {
    const std::size_t x = text.find('x');
    const auto count = input::parse_number<std::uint64_t>(text.substr(0, x));
    const auto gb = x == std::string_view::npos ? std::optional<std::uint64_t>(80)
                                                : input::parse_number<std::uint64_t>(text.substr(x + 1));
    if (!count || !gb || *count == 0 || *count > kMostSimulated || *gb > 1'000'000)
        return fail(Fault::usage, fmt::format("--gpus is 'simulated:{}'", text),
                    "write simulated:8 for eight, or simulated:8x80 for eight of 80 GB");
    return Devices{std::vector(*count, GpuSpec{gigabytes(*gb)}), {}, true};
}

Result<Devices> find_devices(const std::string& text) {
    if (text.starts_with(kSimulated)) return simulated(std::string_view(text).substr(kSimulated.size()));
    if (text != "auto")
        return fail(Fault::usage, fmt::format("--gpus is '{}', it must be auto or simulated:N", text),
                    "write auto, or simulated:8 for a machine without GPUs");
    const auto nvml = device::Nvml::open();
    if (!nvml)
        return fail(Fault::failed, nvml.error().message,
                    "on a machine without GPUs, try 'switchyard serve --gpus simulated:8'");
    const auto readings = nvml->read_gpus();
    if (!readings) return tl::unexpected(readings.error());
    Devices devices;
    for (std::size_t i = 0; i < readings->size(); ++i) {
        devices.gpus.push_back({(*readings)[i].memory_total});
        devices.visible.push_back(std::to_string(i));
    }
    if (devices.gpus.empty()) return fail(Fault::failed, "the driver shows no GPU", "try 'switchyard doctor'");
    return devices;
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
    auto devices = find_devices(a.gpus);
    if (!devices) return complain(devices.error());
    server::ServeOptions options;
    options.program = std::filesystem::read_symlink("/proc/self/exe").string();
    options.folder = std::filesystem::absolute(service_folder(a.folder)).string();
    options.gpus = devices->gpus;
    options.visible = devices->visible;
    options.simulated = devices->simulated;
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
    return {.name = "serve",
            .summary = "Run the live service on this machine",
            .examples =
                "  switchyard serve\n"
                "  switchyard serve --gpus simulated:8 --folder /tmp/try\n"
                "  switchyard serve --order fair --fit easy --place consolidate",
            .options = {{"--folder", "DIR", "What it keeps (default: SWITCHYARD_FOLDER, or ~/.local/share/switchyard)",
                         &a->folder},
                        {"--gpus", "G", "auto: what the driver shows; simulated:N for a machine without (default auto)",
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
