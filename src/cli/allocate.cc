// switchyard allocate: workers of a service as jobs of a batch system, as many as the queue needs.
#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/remote.h"
#include "service/http/leader.h"
#include "service/loop/loop.h"
#include "service/server/stop_signals.h"
#include "service/slurm/allocator.h"
#include "service/slurm/program.h"
#include "service/store/folder_lock.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Slurm's programs give up by themselves after some ten seconds; one that does not is ended.
constexpr Duration kProgramPatience = 60s;
constexpr std::uint64_t kMostGpus = 65'536;
constexpr std::size_t kLongestPool = 32;

struct AllocateArguments {
    std::string what;
    std::uint64_t gpus = 0;
    std::string time;
    std::uint64_t gpus_per_job = 1;
    std::uint64_t gpus_per_task = 1;
    std::uint64_t most = 0;
    double idle = 300;
    double drain_ahead = 300;
    double every = 10;
    std::string partition;
    std::string account;
    std::string pool = "slurm";
    std::string folder;
    std::string program;
    std::string worker_gpus = "auto";
    std::string worker_token_file;
    std::vector<std::string> sbatch;
    bool dry_run = false;
    bool json = false;
    ServerArguments server;
};

Duration duration_of(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

bool is_name(const std::string& word) {
    const auto is_plain = [](unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !word.empty() && word.size() <= kLongestPool && std::all_of(word.begin(), word.end(), is_plain);
}

Result<void> check_numbers(const AllocateArguments& a) {
    const auto bad = [](const char* option, auto value, const std::string& rule) {
        return fail(Fault::usage, fmt::format("{} is {}, it must be {}", option, value, rule));
    };
    if (a.gpus == 0 || a.gpus > kMostGpus) return bad("--gpus", a.gpus, fmt::format("from 1 to {}", kMostGpus));
    if (a.gpus_per_job == 0 || a.gpus_per_job > a.gpus)
        return bad("--gpus-per-job", a.gpus_per_job, fmt::format("from 1 to --gpus, which is {}", a.gpus));
    if (a.gpus_per_task == 0 || a.gpus_per_task > a.gpus_per_job)
        return bad("--gpus-per-task", a.gpus_per_task,
                   fmt::format("from 1 to --gpus-per-job, which is {}: a task runs on one host", a.gpus_per_job));
    if (a.every < 0.1) return bad("--every", a.every, "at least 0.1");
    if (!is_name(a.pool)) return bad("--pool", "'" + a.pool + "'", "1 to 32 of a-z, 0-9 and -");
    return {};
}

Result<void> check(const AllocateArguments& a) {
    if (auto checked = check_numbers(a); !checked) return checked;
    const auto time = slurm::time_in(a.time);
    if (!time || *time <= Duration::zero())
        return fail(Fault::usage, fmt::format("--time is '{}', which is no time as Slurm writes it", a.time),
                    "write minutes, hours:minutes:seconds or days-hours, for example 8:00:00");
    if (duration_of(a.drain_ahead) * 2 > *time)
        return fail(Fault::usage,
                    fmt::format("--drain-ahead is {} s, more than half of --time {}", a.drain_ahead, a.time),
                    "a job would be drained most of its time; take more time, or drain later");
    for (const std::string& url : http::servers_in(server_address(a.server.url)))
        if (!url.starts_with("http://") && !url.starts_with("https://"))
            return fail(Fault::usage, fmt::format("workers on other hosts cannot reach the service at {}", url),
                        "name an address that they can reach, for example --server http://head:7878");
    return {};
}

std::string absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).string();
}

std::string folder_of_pool(const AllocateArguments& a) {
    return absolute(a.folder.empty() ? service_folder("") + "/allocate-" + a.pool : a.folder);
}

std::vector<std::string> worker_words(const AllocateArguments& a) {
    std::vector<std::string> words{
        a.program.empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : a.program,
        "worker",
        "--server",
        server_address(a.server.url),
        "--gpus",
        a.worker_gpus};
    const auto add = [&](const char* option, const std::string& file) {
        if (!file.empty()) words.insert(words.end(), {option, absolute(file)});
    };
    add("--token-file", a.worker_token_file.empty() ? a.server.token_file : a.worker_token_file);
    add("--ca-file", a.server.files.ca);
    add("--certificate", a.server.files.certificate);
    add("--key-file", a.server.files.key);
    return words;
}

slurm::JobWish wish_of(const AllocateArguments& a) {
    return {.pool = a.pool,
            .gpus = static_cast<std::uint32_t>(a.gpus_per_job),
            .time = a.time,
            .drain_ahead = duration_of(a.drain_ahead),
            .partition = a.partition,
            .account = a.account,
            .more = a.sbatch,
            .logs = folder_of_pool(a),
            .worker = worker_words(a)};
}

slurm::PoolLimits limits_of(const AllocateArguments& a) {
    const std::uint64_t by_gpus = a.gpus / a.gpus_per_job;
    return {.jobs = static_cast<std::uint32_t>(a.most > 0 ? std::min(a.most, by_gpus) : by_gpus),
            .gpus_per_job = static_cast<std::uint32_t>(a.gpus_per_job),
            .gpus_per_task = static_cast<std::uint32_t>(a.gpus_per_task),
            .idle = duration_of(a.idle),
            .drain_ahead = duration_of(a.drain_ahead)};
}

Exit show_plan(const AllocateArguments& a) {
    const slurm::PoolLimits limits = limits_of(a);
    const slurm::JobWish wish = wish_of(a);
    if (a.json) {
        const Json json{{"most_jobs", limits.jobs},
                        {"gpus_per_job", limits.gpus_per_job},
                        {"sbatch", slurm::sbatch_words()},
                        {"squeue", slurm::squeue_words()},
                        {"script", slurm::script_of(wish, 0)}};
        fmt::print("{}\n", json.dump(2));
        return Exit::done;
    }
    fmt::print(stderr, "at most {} jobs of {} GPUs; '{}' would get for the first:\n", limits.jobs, limits.gpus_per_job,
               fmt::join(slurm::sbatch_words(), " "));
    fmt::print("{}", slurm::script_of(wish, 0));
    return Exit::done;
}

void tell(const slurm::Happening& happening, bool json) {
    if (json) {
        Json line{{"what", happening.what}};
        if (!happening.host.empty()) line["host"] = happening.host;
        if (!happening.job.empty()) line["job"] = happening.job;
        line["why"] = happening.why;
        fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
        std::fflush(stdout);
        return;
    }
    const std::string job = happening.job.empty() ? "" : fmt::format(" (job {})", happening.job);
    fmt::print(stderr, "{}{}{}: {}\n", happening.what, happening.host.empty() ? "" : " " + happening.host, job,
               happening.why);
}

/// Whether somebody asked us to end meanwhile.
bool signalled_within(Duration time) {
    const sigset_t signals = server::stop_signals();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec wait{.tv_sec = whole.count(), .tv_nsec = (time - whole).count()};
    return ::sigtimedwait(&signals, nullptr, &wait) > 0;
}

/// Until everything was asked to end and has. A third signal leaves what is left.
Exit keep(slurm::Allocator& allocator, bool json) {
    auto closing = slurm::Closing::no;
    for (bool leaves = false; !leaves;) {
        const Duration pause = allocator.look(closing);
        if (allocator.is_closed()) return Exit::done;
        if (!signalled_within(pause)) continue;
        leaves = closing == slurm::Closing::at_once;
        closing = closing == slurm::Closing::no ? slurm::Closing::gently : slurm::Closing::at_once;
        if (leaves) break;
        tell({"closing",
              {},
              {},
              closing == slurm::Closing::gently ? "what runs may end; a second signal ends it at once"
                                                : "every job is cancelled"},
             json);
    }
    return complain({Fault::failed, fmt::format("these jobs may be left: {}", fmt::join(allocator.jobs(), ", ")),
                     "look with squeue, end them with scancel, or start 'switchyard allocate' again: it finds them"});
}

/// A token that opens nothing now opens nothing later. A service that is not there may come.
Result<void> check_token(const AllocateArguments& a) {
    const auto answer = ask_plainly(a.server, "GET", "/api/v1/hosts", "");
    if (!answer || (answer->status != 401 && answer->status != 403)) return {};
    const auto refused = ask_server(a.server, "GET", "/api/v1/hosts");
    if (refused) return {};
    return fail(refused.error().fault, refused.error().message,
                "--token-file wants a token of the role operate, --worker-token-file one of the role work");
}

Exit run_allocate(const AllocateArguments& a) {
    if (const auto checked = check(a); !checked) return complain(checked.error());
    if (a.dry_run) return show_plan(a);
    if (const auto checked = check_token(a); !checked) return complain(checked.error());
    const std::string folder = folder_of_pool(a);
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble)
        return complain({Fault::failed, fmt::format("{} cannot be made: {}", folder, trouble.message()),
                         "name a folder with --folder that may be written, and that the nodes see too"});
    const auto lock = store::FolderLock::take(folder);
    if (!lock)
        return complain({Fault::failed,
                         fmt::format("another 'switchyard allocate' keeps the pool '{}' ({})", a.pool, folder),
                         "stop it, or give this one another --pool"});
    const sigset_t signals = server::stop_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    slurm::Allocator allocator(
        wish_of(a), limits_of(a), duration_of(a.every),
        {.run = [](const auto& words, const auto& input) { return slurm::run_program(words, input, kProgramPatience); },
         .ask = [&a](const auto& method, const auto& target) { return ask_server(a.server, method, target); },
         .tell = [&a](const slurm::Happening& happening) { tell(happening, a.json); },
         .clock = [] { return loop::Loop::now(); }});
    return keep(allocator, a.json);
}

}  // namespace

Command allocate_command() {
    const auto a = std::make_shared<AllocateArguments>();
    return {
        .name = "allocate",
        .summary = "Keep a service in workers that are jobs of Slurm, as many as its queue needs",
        .examples =
            "  switchyard allocate slurm --gpus 32 --time 8:00:00 --server http://head:7878 \\\n"
            "      --token-file ~/operator.token --worker-token-file ~/worker.token\n"
            "  switchyard allocate slurm --gpus 64 --gpus-per-job 8 --time 1-0 --idle 600 --partition gpu \\\n"
            "      --server https://head:7878 --token-file ~/operator.token --worker-token-file ~/worker.token -- "
            "--qos=high --constraint=a100\n"
            "  switchyard allocate slurm --gpus 1 --time 60 --server http://head:7878 --dry-run",
        .options = with_server(
            {{.name = "WHAT",
              .placeholder = "",
              .help = "slurm",
              .target = &a->what,
              .choices = {"slurm"},
              .required = true},
             {.name = "--gpus",
              .placeholder = "N",
              .help = "At most so many GPUs at any time",
              .target = &a->gpus,
              .choices = {},
              .required = true},
             {.name = "--time",
              .placeholder = "T",
              .help = "Of each job, as Slurm writes it",
              .target = &a->time,
              .choices = {},
              .required = true},
             {"--gpus-per-job", "K", "Of one node, for each job (default 1)", &a->gpus_per_job},
             {"--gpus-per-task", "G", "What a waiting task is taken to need (default 1)", &a->gpus_per_task},
             {"--most", "J", "At most so many jobs (default: as many as --gpus allows)", &a->most},
             {"--idle", "S", "A worker without work for so long is given back (default 300)", &a->idle},
             {"--drain-ahead", "S", "So long before its time is up a job gets nothing new (default 300)",
              &a->drain_ahead},
             {"--every", "S", "Between two looks at Slurm and the service (default 10)", &a->every},
             {"--partition", "P", "For sbatch", &a->partition},
             {"--account", "A", "For sbatch; what stands after -- goes to sbatch too", &a->account},
             {"--pool", "NAME", "What its workers are called after (default slurm)", &a->pool},
             {"--folder", "DIR",
              "For the logs of the workers; the nodes must see it too (default: in the service's folder)", &a->folder},
             {"--program", "PATH", "The switchyard of the nodes (default: this one, by its path)", &a->program},
             {"--worker-gpus", "WHICH",
              "What a worker uses: auto for what the driver shows it, or simulated:N (default auto)", &a->worker_gpus},
             {"--worker-token-file", "FILE", "The token of the workers, of the role work (default: --token-file)",
              &a->worker_token_file},
             {"--dry-run", "", "Show what sbatch would get, and do nothing", &a->dry_run},
             {"--json", "", "Tell what happens as JSON, a line each", &a->json}},
            a->server),
        .run = [a] { return run_allocate(*a); },
        .rest = &a->sbatch};
}

}  // namespace sy::cli
