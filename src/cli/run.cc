// switchyard run: plan a batch, have it carried out, and say how plan and reality compare.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "cli/commands.h"
#include "cli/embedded.h"
#include "cli/pretence.h"
#include "cli/rehearse.h"
#include "cli/remote.h"
#include "cli/run_report.h"
#include "cli/run_watch.h"
#include "cli/write_text.h"
#include "input/json_lines.h"
#include "input/json_text.h"
#include "output/charts.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kLeaveAfter = "60";  ///< Seconds, of a service of our own.

struct RunArguments {
    ServerArguments server;
    std::string batch;
    std::string output;
    std::string html;
    double seconds = 2;
    std::uint64_t tries = 3;
    bool resume = false;
    std::uint64_t attach = 0;
    bool detach = false;
    bool pretend = false;
    double speed = 1;
    std::uint64_t models_per_gpu = 1;
    std::string gpus;
    std::string models_file;
    std::string folder;
    bool json = false;
    RehearseArguments rehearsal;
};

std::string name_of_batch(const RunArguments& a) {
    return a.batch == "-" ? "stdin" : std::filesystem::path(a.batch).stem().string();
}

std::string folder_for(const RunArguments& a, const std::string& made_of) {
    if (!a.folder.empty()) return std::filesystem::absolute(a.folder).string();
    return fmt::format("{}-run/{}-{:08x}", service_folder(""), name_of_batch(a), digest_of(made_of) & 0xffffffff);
}

Result<void> write_file(const std::string& path, const std::string& text) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    return write_text(path, text);
}

/// The models of the batch with their `runner`, as a model file.
Result<std::string> models_of(const Json& batch) {
    Json models = Json::object();
    const Json said = batch.value("models", Json::object());
    for (const auto& [name, model] : said.items()) {
        if (!model.is_object() || !model.contains("runner")) continue;
        Json entry = model["runner"];
        if (!entry.is_object())
            return fail(Fault::invalid_input,
                        fmt::format("runner of model {} is {}, it must be a map", name, entry.dump()),
                        "write an entry of a model file, for example runner: {command: [python3, bge.py]}");
        if (!entry.contains("memory_mb") && model.contains("memory_gb") && model["memory_gb"].is_number())
            entry["memory_mb"] = model["memory_gb"].get<double>() * 1e3;
        if (!entry.contains("folder")) entry["folder"] = std::filesystem::current_path().string();
        models[name] = entry;
    }
    if (models.empty())
        return fail(Fault::invalid_input, "no service is running, and no model of the batch says how to run it",
                    "start one with 'switchyard serve', give models a runner, name --models-file, or try --pretend");
    return Json{{"models", models}}.dump();
}

struct Prepared {
    Json batch;
    std::optional<Embedded> own;
    ServerArguments server;
};

Result<Prepared> with_own_service(const RunArguments& a, const input::Document& document) {
    Prepared prepared;
    std::vector<std::string> settings{"--disk-reserve-mb", "0"};
    if (std::getenv("SWITCHYARD_LEAVE_AFTER_SECONDS") == nullptr)  // NOLINT(concurrency-mt-unsafe): one thread
        settings.insert(settings.end(), {"--leave-after-seconds", kLeaveAfter});
    std::string folder;
    if (a.pretend) {
        auto pretence = pretend(document, std::filesystem::read_symlink("/proc/self/exe").string(), a.speed);
        if (!pretence) return tl::unexpected(pretence.error());
        const std::string most = std::to_string(a.models_per_gpu);
        folder = folder_for(a, pretence->devices + pretence->models + most);
        for (const auto& [name, text] :
             {std::pair{"/devices.json", &pretence->devices}, std::pair{"/models.json", &pretence->models}})
            if (const auto written = write_file(folder + name, *text); !written) return tl::unexpected(written.error());
        settings.insert(settings.end(),
                        {"--gpus", "simulated:" + folder + "/devices.json", "--models-file", folder + "/models.json",
                         "--max-models-per-gpu", most, "--memory-safety-margin-mb", "0"});
        prepared.batch = std::move(pretence->batch);
    } else {
        prepared.batch = Json::parse(input::to_json(document.root));
        std::string models = a.models_file;
        folder = folder_for(a, a.gpus + a.models_file + prepared.batch.value("models", Json()).dump());
        if (models.empty()) {
            const auto text = models_of(prepared.batch);
            if (!text) return tl::unexpected(text.error());
            models = folder + "/models.json";
            if (const auto written = write_file(models, *text); !written) return tl::unexpected(written.error());
        }
        settings.insert(settings.end(), {"--gpus", a.gpus.empty() ? "auto" : a.gpus, "--models-file",
                                         std::filesystem::absolute(models).string()});
    }
    auto own = Embedded::open(folder, settings);
    if (!own) return tl::unexpected(own.error());
    prepared.server = own->server();
    prepared.own = std::move(*own);
    return prepared;
}

Result<Prepared> prepare(const RunArguments& a, const input::Document& document) {
    const bool wants_own = a.pretend || !a.gpus.empty() || !a.models_file.empty() || !a.folder.empty();
    if (!wants_own && (!a.server.url.empty() || is_answering(a.server)))
        return Prepared{Json::parse(input::to_json(document.root)), std::nullopt, a.server};
    return with_own_service(a, document);
}

/// The latest of that name that has not ended; where all have, the latest.
Result<std::uint64_t> find_earlier(const ServerArguments& server, const std::string& name) {
    const auto runs = ask_server(server, "GET", "/api/v1/runs");
    if (!runs) return tl::unexpected(runs.error());
    std::optional<std::uint64_t> latest;
    for (const Json& run : (*runs)["runs"]) {
        if (run["name"] != name) continue;
        latest = run["id"].get<std::uint64_t>();
        if (run["state"] != "ended" && run["state"] != "cancelled") return *latest;
    }
    if (latest) return *latest;
    return fail(Fault::invalid_input, fmt::format("there is no earlier run of {}", name), "leave out --resume");
}

Result<std::uint64_t> hand_in(const RunArguments& a, const Prepared& prepared) {
    if (a.attach > 0) return a.attach;
    if (a.resume) return find_earlier(prepared.server, name_of_batch(a));
    Json body{{"name", name_of_batch(a)}, {"plan_seconds", a.seconds}, {"tries", a.tries}, {"batch", prepared.batch}};
    if (!says_who(prepared.server)) body["user"] = user_name();
    const auto answer = ask_server(prepared.server, "POST", "/api/v1/runs", body.dump());
    if (!answer) return tl::unexpected(answer.error());
    return (*answer)["id"].get<std::uint64_t>();
}

Exit report(const RunArguments& a, const ServerArguments& server, const Json& run) {
    const auto id = run["id"].get<std::uint64_t>();
    const auto timeline = fetch_timeline(server, id);
    if (!timeline) return complain(timeline.error());
    const RunCourse course = course_of(*timeline);
    if (!a.output.empty())
        if (const auto written = fetch_results(server, id, a.output); !written) return complain(written.error());
    if (!a.html.empty())
        if (const auto written = write_text(a.html, output::run_html(course.batch, course.planned, course.actual));
            !written)
            return complain(written.error());
    if (a.json) {
        fmt::print("{}\n", report_json(run, course).dump(2));
    } else if (a.output != "-") {
        fmt::print("{}", report_text(run, course));
    }
    if (!a.output.empty() && a.output != "-") fmt::print(stderr, "written: {}\n", a.output);
    if (!a.html.empty()) fmt::print(stderr, "written: {}\n", a.html);
    if (run["state"] == "cancelled") return Exit::interrupted;
    return run["counts"]["failed"] > 0 || run["counts"]["skipped"] > 0 ? Exit::tasks_failed : Exit::done;
}

Exit leave(const RunArguments& a, const Prepared& prepared, std::uint64_t id, Exit exit) {
    const std::string where = prepared.own ? " --server " + prepared.server.url : "";
    fmt::print(stderr, "run {} goes on; to see it again: switchyard run {} --attach {}{}\n", id, a.batch, id, where);
    return exit;
}

Exit run(const RunArguments& a) {
    if (a.models_per_gpu < 1 || a.models_per_gpu > 64)
        return complain(
            {Fault::usage,
             fmt::format("--models-per-gpu is {}, it must be a whole number from 1 to 64", a.models_per_gpu),
             "for example --models-per-gpu 2"});
    if (a.models_per_gpu != 1 && !a.pretend)
        return complain({Fault::usage, "--models-per-gpu is for pretended GPUs",
                         "add --pretend, or set max_models_per_gpu of the service"});
    if (!(a.speed > 0) || !std::isfinite(a.speed))
        return complain({Fault::usage, "--speed must be more than 0", "for example --speed 10"});
    auto document = input::read_batch_document(a.batch);
    if (!document) return complain(document.error());
    if (a.rehearsal.wanted) return rehearse(a.rehearsal, *document, a.seconds, a.html, a.json);
    auto prepared = prepare(a, *document);
    if (!prepared) return complain(prepared.error());
    const auto id = hand_in(a, *prepared);
    if (!id) {
        if (prepared->own) prepared->own->stop();
        return complain(id.error());
    }
    if (a.detach) return leave(a, *prepared, *id, Exit::done);
    if (a.pretend) fmt::print(stderr, "GPUs and models are pretended: processes wait, nothing is computed\n");
    const auto ended = watch_run(prepared->server, *id, a.json);
    if (!ended) return complain(ended.error());
    if (!*ended) return leave(a, *prepared, *id, Exit::interrupted);
    const Exit exit = report(a, prepared->server, **ended);
    if (prepared->own) prepared->own->stop();
    return exit;
}

}  // namespace

Command run_command() {
    const auto a = std::make_shared<RunArguments>();
    return {.name = "run",
            .summary = "Plan a batch of workflows, carry it out, and compare the plan with what happened",
            .examples =
                "  switchyard run batch.yaml -o results.jsonl                  # on the running service\n"
                "  switchyard run examples/rag.yaml --pretend --speed 50       # no GPU, no model: everything waits\n"
                "  switchyard run batch.yaml --gpus simulated:2                # a service of its own; models have "
                "runners\n"
                "  switchyard run batch.yaml --resume                          # after Ctrl-C or a crash\n"
                "  switchyard run examples/rag.yaml --rehearse --noise 0.5     # simulated, in no time",
            .options = with_server(
                {{"BATCH", "", "Batch file, YAML or JSON", &a->batch, {}, true},
                 {"-o,--output", "FILE", "Write what came out of each request as JSON lines; - for stdout", &a->output},
                 {"--html", "FILE", "Write a chart, the plan above what happened", &a->html},
                 {"--seconds", "S", "How long to look for a better plan (default 2)", &a->seconds},
                 {"--tries", "N", "Attempts of a step that fails (default 3)", &a->tries},
                 {"--resume", "", "Go on with the latest run of this batch", &a->resume},
                 {"--attach", "ID", "Watch this run", &a->attach},
                 {"--detach", "", "Hand it in and do not wait", &a->detach},
                 {"--gpus", "G", "Start a service of its own with these GPUs, as `serve` takes them", &a->gpus},
                 {"--models-file", "FILE", "Likewise, with these models", &a->models_file},
                 {"--folder", "DIR", "Likewise, which keeps its things here", &a->folder},
                 {"--pretend", "", "Likewise, with pretended GPUs and models that only take their time", &a->pretend},
                 {"--speed", "X", "With --pretend: so many seconds of the batch pass in one (default 1)", &a->speed},
                 {"--models-per-gpu", "N",
                  "With --pretend: models a GPU may hold at a time; with 2 the next is loaded beside (default 1, as "
                  "plans have it)",
                  &a->models_per_gpu},
                 {"--rehearse", "", "Simulate it instead, in virtual time", &a->rehearsal.wanted},
                 {"--noise", "D", "With --rehearse: deviation of the logarithm of real over expected times (default 0)",
                  &a->rehearsal.noise},
                 {"--failures", "P", "With --rehearse: how often an attempt fails, from 0 to 1 (default 0)",
                  &a->rehearsal.failures},
                 {"--seed", "N", "With --rehearse: of whatever is drawn (default 1)", &a->rehearsal.seed},
                 {"--json", "", "Print the report as one JSON document", &a->json}},
                a->server),
            .run = [a] { return run(*a); }};
}

}  // namespace sy::cli
