// switchyard submit: hand a command or a call of a model to a running service.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/remote.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTasks = "/api/v1/tasks";

struct SubmitArguments {
    ServerArguments server;
    std::string name;
    std::uint64_t gpus = 1;
    std::string on;
    std::string kind;
    std::string memory_mb;
    std::string priority = "NORMAL";
    std::uint64_t retries = 0;
    bool at_most_once = false;
    std::string timeout_s;
    std::string estimate_s;
    std::string delay_s;
    std::string deadline_s;
    std::string checkpoint_signal;
    std::string checkpoint_grace_s;
    std::string after;
    std::string after_any;
    std::uint64_t array = 0;
    std::string key;
    std::string user;
    std::string model;
    std::string input;
    std::string type;
    std::string folder;
    std::string limits;
    bool wait = false;
    bool json = false;
    std::vector<std::string> command;
};

/// "7,9" as a list of numbers.
Result<Json> task_list(const char* option, const std::string& text) {
    Json list = Json::parse("[" + text + "]", nullptr, false);
    const bool fine = list.is_array() &&
                      std::all_of(list.begin(), list.end(), [](const Json& id) { return id.is_number_unsigned(); });
    if (fine) return list;
    return fail(Fault::usage, fmt::format("{} is '{}', it must be task numbers", option, text),
                fmt::format("for example {} 7 or {} 7,9", option, option));
}

/// "cpu_s=600,open_files=100" as a map.
Result<Json> limits_of(const std::string& text) {
    Json limits = Json::object();
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        const std::size_t equals = std::min(part.find('='), part.size());
        const Json amount = Json::parse(part.substr(std::min(equals + 1, part.size())), nullptr, false);
        if (!amount.is_number_unsigned())
            return fail(Fault::usage, fmt::format("--limits is '{}', it must be names and numbers", text),
                        "for example --limits cpu_s=600,memory_mb=8000");
        limits[std::string(part.substr(0, equals))] = amount;
    }
    return limits;
}

/// The command and where to run it, or the model and its input.
Result<void> say_what(const SubmitArguments& a, Json& task) {
    if (a.model.empty()) {
        task["command"] = a.command;
        task["folder"] = std::filesystem::absolute(a.folder.empty() ? "." : a.folder).lexically_normal().string();
        if (a.limits.empty()) return {};
        return limits_of(a.limits).map([&](Json limits) { task["limits"] = std::move(limits); });
    }
    task["model"] = a.model;
    if (!a.type.empty()) task["type"] = a.type;
    if (a.input.empty()) return {};
    task["input"] = Json::parse(a.input, nullptr, false);
    if (!task["input"].is_discarded()) return {};
    return fail(Fault::usage, fmt::format("--input is '{}', it must be JSON", a.input),
                "for example --input '{\"text\": \"hello\"}'");
}

Result<Json> task_of(const SubmitArguments& a) {
    if (a.command.empty() == a.model.empty())
        return fail(Fault::usage, a.model.empty() ? "there is no command to run" : "there are a command and a model",
                    "write one of them, as in: switchyard submit -- python train.py, or: switchyard submit --model bge "
                    "--input '{\"text\": \"hello\"}'");
    Json task{{"gpus", a.gpus}, {"priority", a.priority}, {"retries", a.retries}};
    if (const auto said = say_what(a, task); !said) return tl::unexpected(said.error());
    if (!a.name.empty()) task["name"] = a.name;
    if (!a.key.empty()) task["key"] = a.key;
    if (!a.kind.empty()) task["kind"] = a.kind;
    if (!a.user.empty() || !says_who(a.server)) task["user"] = a.user.empty() ? user_name() : a.user;
    if (a.array > 0) task["array"] = a.array;
    for (const auto& [option, field, text] :
         {std::tuple{"--after", "after", &a.after}, std::tuple{"--after-any", "after_any", &a.after_any}}) {
        if (text->empty()) continue;
        auto list = task_list(option, *text);
        if (!list) return tl::unexpected(list.error());
        task[field] = std::move(*list);
    }
    if (a.at_most_once) task["at_most_once"] = true;
    if (!a.checkpoint_signal.empty()) task["checkpoint_signal"] = a.checkpoint_signal;
    struct Figure {
        const char* option;
        const char* field;
        const std::string& text;
    };
    for (const Figure& figure :
         {Figure{"--on", "on", a.on}, Figure{"--memory-mb", "memory_mb", a.memory_mb},
          Figure{"--timeout", "timeout_s", a.timeout_s}, Figure{"--estimate", "estimate_s", a.estimate_s},
          Figure{"--delay", "delay_s", a.delay_s}, Figure{"--deadline", "deadline_s", a.deadline_s},
          Figure{"--checkpoint-grace", "checkpoint_grace_s", a.checkpoint_grace_s}}) {
        if (figure.text.empty()) continue;
        task[figure.field] = Json::parse(figure.text, nullptr, false);
        if (!task[figure.field].is_number())
            return fail(Fault::usage, fmt::format("{} is '{}', it must be a number", figure.option, figure.text),
                        fmt::format("for example {} 600", figure.option));
    }
    return task;
}

/// The task's own exit code, as if it had been run here.
Exit wait_for(const SubmitArguments& a, std::uint64_t id, Json& ended) {
    const auto task = wait_for_end(a.server, id);
    if (!task) return complain(task.error());
    ended.push_back(*task);
    if (!a.json && task->contains("output")) fmt::print("{}\n", (*task)["output"].dump());
    const std::string state = (*task)["state"];
    if (state == "succeeded") return Exit::done;
    if (state == "timed_out") {
        fmt::print(stderr, "task {} timed out after {:g} s\n", id, (*task)["timeout_s"].get<double>());
        return Exit::timed_out;
    }
    const Json& attempts = (*task)["attempts"];
    const Json code = attempts.empty() ? Json(nullptr) : attempts.back().value("exit_code", Json(nullptr));
    const std::string why = attempts.empty() ? "" : attempts.back().value("error", "");
    fmt::print(stderr, "task {} {}{}\n", id, state, why.empty() ? "" : ": " + why);
    return code.is_number() && code != 0 ? static_cast<Exit>(code.get<int>()) : Exit::tasks_failed;
}

Exit run_submit(const SubmitArguments& a) {
    const auto task = task_of(a);
    if (!task) return complain(task.error());
    const auto answer = ask_server(a.server, "POST", kTasks, task->dump());
    if (!answer) return complain(answer.error());
    const Json tasks = answer->contains("tasks") ? (*answer)["tasks"] : Json::array({*answer});
    if (a.json && !a.wait) return print_json(answer);
    Exit worst = Exit::done;
    Json ended = Json::array();
    for (const Json& placed : tasks) {
        if (!placed.contains("id")) return complain({Fault::invalid_input, placed.value("error", "refused"), ""});
        const std::uint64_t id = placed["id"];
        if (!a.wait) fmt::print("{}\n", id);
        if (const Exit exit = a.wait ? wait_for(a, id, ended) : Exit::done; exit != Exit::done) worst = exit;
    }
    if (a.json) fmt::print("{}\n", (ended.size() == 1 ? ended[0] : Json{{"tasks", ended}}).dump(2));
    return worst;
}

}  // namespace

Command submit_command() {
    const auto a = std::make_shared<SubmitArguments>();
    return {.name = "submit",
            .summary = "Hand a command to the service; prints its number",
            .examples =
                "  switchyard submit -- python train.py --epochs 3\n"
                "  switchyard submit --gpus 4 --priority HIGH --retries 2 -- ./train.sh\n"
                "  switchyard submit --wait -- make test",
            .options = with_server(
                {{"--name", "N", "What to call it", &a->name},
                 from(1, {"--gpus", "N", "Neighbouring GPUs of one machine (default 1)", &a->gpus}),
                 {"--on", "N", "On this GPU, and those after it; elsewhere only while it takes no work", &a->on},
                 {"--kind", "K", "Of this kind, as `switchyard gpus` names them", &a->kind},
                 {"--memory-mb", "M", "Memory on each of them", &a->memory_mb},
                 {"--priority",
                  "P",
                  "CRITICAL, HIGH, NORMAL or LOW (default NORMAL)",
                  &a->priority,
                  {"CRITICAL", "HIGH", "NORMAL", "LOW"}},
                 {"--retries", "N", "Further attempts after one that failed (default 0)", &a->retries},
                 {"--at-most-once", "", "Do not run it again where its worker was lost", &a->at_most_once},
                 {"--checkpoint-signal", "SIG",
                  "By this it is told to save its work when it has to make way: USR1, TERM …", &a->checkpoint_signal},
                 {"--checkpoint-grace", "S", "Seconds it has for that (default 30)", &a->checkpoint_grace_s},
                 {"--timeout", "S", "Seconds for one attempt (default 3600)", &a->timeout_s},
                 {"--estimate", "S", "Seconds it will take, as far as you know", &a->estimate_s},
                 {"--delay", "S", "Seconds before it may start", &a->delay_s},
                 {"--deadline", "S", "Seconds by which it should have ended (for --order edf)", &a->deadline_s},
                 {"--after", "IDS", "Start when these have succeeded, as in 7,9", &a->after},
                 {"--after-any", "IDS", "Start when these have ended, however", &a->after_any},
                 from(1, {"--array", "N", "N tasks alike, each told its SWITCHYARD_ARRAY_INDEX", &a->array}),
                 {"--key", "K", "A word by which a repeated submit is known: it gives the same task", &a->key},
                 {"--model", "M", "Call this model instead of running a command", &a->model},
                 {"--input", "JSON", "What to call it with", &a->input},
                 {"--type", "T", "The task's type, for the estimate of its memory", &a->type},
                 {"--user", "U", "On whose account (default: you, as the service knows you)", &a->user},
                 {"--folder", "DIR", "Where to run it (default: here)", &a->folder},
                 {"--limits", "L",
                  "What each of its processes may use, as in cpu_s=600,memory_mb=8000 (also open_files, file_mb, "
                  "processes, core_mb)",
                  &a->limits},
                 {"--wait", "", "Wait for its end; exits as the command did", &a->wait},
                 {"--json", "", "Print one JSON document", &a->json}},
                a->server),
            .run = [a] { return run_submit(*a); },
            .rest = &a->command};
}

}  // namespace sy::cli
