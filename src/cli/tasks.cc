// switchyard ps, show, logs, cancel, explain, dead and requeue: tasks of a running service.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/remote.h"

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kBetweenLooks = 100ms;
constexpr Duration kWhileItWaits = 60s;
constexpr const char* kTasks = "/api/v1/tasks";

std::string target_of(std::uint64_t id, const std::string& part = "") {
    return fmt::format("{}/{}{}", kTasks, id, part);
}

struct TaskArguments {
    ServerArguments server;
    std::uint64_t id = 0;
    std::uint64_t limit = 20;
    std::string priority;
    std::uint64_t before = 0;
    bool front = false;
    bool back = false;
    bool anywhere = false;
    bool follow = false;
    bool err = false;
    bool json = false;
};

std::string gpus_text(const Json& task) {
    const Json& attempts = task["attempts"];
    if (attempts.empty()) return "-";
    std::string text;
    for (const Json& gpu : attempts.back()["gpus"])
        text += fmt::format("{}{}", text.empty() ? "" : ",", gpu.get<std::uint32_t>());
    return text;
}

std::string command_text(const Json& task) {
    std::string text;
    if (task["model"].is_string()) return "model " + task["model"].get<std::string>();
    for (const Json& word : task["command"]) text += (text.empty() ? "" : " ") + word.get<std::string>();
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

void print_task_heads() {
    fmt::print("{:>8}  {:<10} {:<9} {:<8} {:<20} {}\n", "id", "state", "priority", "gpu", "name", "command");
}

void print_task(const Json& task) {
    fmt::print("{:>8}  {:<10} {:<9} {:<8} {:<20} {}\n", task["id"].get<std::uint64_t>(),
               task["state"].get<std::string>(), task["priority"].get<std::string>(), gpus_text(task),
               task["name"].get<std::string>(), command_text(task));
}

Exit run_ps(const TaskArguments& a) {
    const auto answer = ask_server(a.server, "GET", fmt::format("{}?limit={}", kTasks, a.limit));
    if (!answer || a.json) return print_json(answer);
    print_task_heads();
    for (const Json& task : (*answer)["tasks"]) print_task(task);
    return Exit::done;
}

Exit run_cancel(const TaskArguments& a) {
    const auto answer = ask_server(a.server, "DELETE", target_of(a.id));
    if (!answer || a.json) return print_json(answer);
    fmt::print(stderr, "cancelling task {}\n", a.id);
    return Exit::done;
}

/// How GPUs can stand to a task, in words.
constexpr std::array<std::pair<const char*, const char*>, 12> kGpuWords{{
    {"suitable", "could take it now"},
    {"busy", "busy"},
    {"being_cleared", "being cleared for a CRITICAL task"},
    {"of_another_kind", "of another kind"},
    {"not_the_one_it_is_tied_to", "not the one it is tied to"},
    {"too_small", "too small"},
    {"memory_in_foreign_use", "with too much memory used by strangers"},
    {"too_few_neighbours", "with too few free neighbours"},
    {"reserved", "reserved"},
    {"draining", "draining"},
    {"faulty", "faulty"},
    {"no_worker", "without a worker"},
}};

/// Positions count those before it.
std::string place_in_line(std::uint64_t before) {
    return before == 0 ? "first in line" : fmt::format("behind {} other{}", before, before == 1 ? "" : "s");
}

/// One of the ways to move it, and the request that says so.
Exit run_move(const TaskArguments& a) {
    std::vector<const char*> ways;
    if (!a.priority.empty()) ways.push_back("--priority");
    if (a.front) ways.push_back("--front");
    if (a.back) ways.push_back("--back");
    if (a.before > 0) ways.push_back("--before");
    if (a.anywhere) ways.push_back("--anywhere");
    if (ways.size() != 1)
        return complain({Fault::usage,
                         ways.empty() ? fmt::format("where to move task {}?", a.id)
                                      : fmt::format("{} exclude each other", fmt::join(ways, " and ")),
                         "say one of --priority, --front, --back, --before and --anywhere"});
    const char* to = a.front ? "front" : a.back ? "back" : "anywhere";
    const Json where = a.before > 0 ? Json{{"before", a.before}} : Json{{"to", to}};
    const auto answer = a.priority.empty() ? ask_server(a.server, "POST", target_of(a.id, "/move"), where.dump())
                                           : ask_server(a.server, "POST", target_of(a.id, "/priority"),
                                                        Json{{"priority", a.priority}}.dump());
    if (!answer || a.json) return print_json(answer);
    fmt::print("task {} stands {}\n", a.id, place_in_line((*answer)["position"]));
    return Exit::done;
}

Exit run_explain(const TaskArguments& a) {
    const auto answer = ask_server(a.server, "GET", target_of(a.id, "/explain"));
    if (!answer || a.json) return print_json(answer);
    const Json& why = *answer;
    if (!why["waits"].get<bool>()) {
        fmt::print("task {} does not wait: it is {}\n", a.id, why["state"].get<std::string>());
        return Exit::done;
    }
    if (!why["held_s"].is_null()) {
        if (why["held_s"] > 0) fmt::print("task {} may start in {:.1f} s\n", a.id, why["held_s"].get<double>());
        for (const Json& need : why["needs"]) fmt::print("task {} waits for task {} to end\n", a.id, need.dump());
        return Exit::done;
    }
    if (why["paused"].get<bool>()) fmt::print("the queue is paused: nothing starts\n");
    if (!why["behind"].is_null()) {
        fmt::print("task {} waits {}; first in line is task {}\n", a.id, place_in_line(why["position"]),
                   why["behind"].get<std::uint64_t>());
    } else {
        fmt::print("task {} is first in line and finds no room\n", a.id);
    }
    if (!why["awaited_host"].is_null())
        fmt::print("{} (on one: switchyard worker --server URL)\n", why["awaited_host"].get<std::string>());
    for (const Json& gpu : why["cleared_for_it"]) fmt::print("gpu{} is being cleared for it\n", gpu.dump());
    const Json& gpus = why["gpus"];
    std::string text;
    for (const auto& [field, words] : kGpuWords)
        if (const int count = gpus[field].get<int>(); count > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, words);
    if (!text.empty()) fmt::print("of {} GPUs: {}\n", gpus["total"].get<int>(), text);
    return Exit::done;
}

/// What an attempt wrote from there on, or a part of it.
Result<std::string> read_log(const TaskArguments& a, std::uint64_t attempt, std::uint64_t from) {
    const auto part = ask_plainly(
        a.server, "GET",
        target_of(a.id, fmt::format("/logs?stream={}&attempt={}&from={}", a.err ? "err" : "out", attempt, from)));
    if (!part) return tl::unexpected(part.error());
    if (part->status != 200) return fail(Fault::failed, "there is no log yet");
    return part->body;
}

/// What the last attempt has written up to now, as one document.
Exit print_log_as_json(const TaskArguments& a) {
    if (a.follow) return complain({Fault::usage, "--json and --follow exclude each other", "leave one out"});
    const auto task = ask_server(a.server, "GET", target_of(a.id));
    if (!task) return complain(task.error());
    const std::uint64_t attempt = (*task)["attempts"].size();
    std::string text;
    for (bool more = attempt > 0; more;) {
        const auto part = read_log(a, attempt, text.size());
        if (!part) return complain(part.error());
        text += *part;
        more = !part->empty();
    }
    const Json json{{"id", a.id}, {"attempt", attempt}, {"stream", a.err ? "err" : "out"}, {"text", text}};
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return Exit::done;
}

/// The end of what each wrote before it failed, below it.
Exit print_dead(const Json& tasks) {
    print_task_heads();
    for (const Json& task : tasks) {
        print_task(task);
        const Json& attempts = task["attempts"];
        if (attempts.empty()) continue;
        const std::string tail = attempts.back().value("error", attempts.back().value("err_tail", ""));
        for (std::size_t at = 0; at < tail.size();) {
            const std::size_t end = std::min(tail.find('\n', at), tail.size());
            fmt::print("          | {}\n", tail.substr(at, end - at));
            at = end + 1;
        }
    }
    return Exit::done;
}

/// What is written is no event, so while the task runs its log is looked at now and then; for all else events wake us.
Exit run_logs(const TaskArguments& a) {
    if (a.json) return print_log_as_json(a);
    Ears ears(a.server, fmt::format("?task={}", a.id));
    std::uint64_t attempt = 0;
    std::uint64_t from = 0;
    for (;;) {
        if (const auto listening = a.follow ? ears.listen() : Result<void>(); !listening)
            return complain(listening.error());
        const auto task =
            a.follow ? ask_patiently(a.server, target_of(a.id)) : ask_server(a.server, "GET", target_of(a.id));
        if (!task) return complain(task.error());
        const std::uint64_t latest = (*task)["attempts"].size();
        if (attempt == 0) attempt = latest;
        const auto part = read_log(a, attempt, from);
        const bool away = !part && a.follow && part.error().fault == Fault::unreachable;
        if (!part && !away && (!a.follow || has_ended(*task))) return complain(part.error());
        if (part && !part->empty()) {
            from += part->size();
            std::fwrite(part->data(), 1, part->size(), stdout);
            std::fflush(stdout);
            continue;
        }
        if (attempt < latest) {
            ++attempt;
            from = 0;
            continue;
        }
        if (!a.follow || has_ended(*task)) return Exit::done;
        const bool runs = (*task)["state"] == "running";
        if (const auto event = ears.next(runs ? kBetweenLooks : kWhileItWaits); !event) return complain(event.error());
    }
}

using Run = Exit (*)(const TaskArguments&);

Command task_command(const std::string& name, const std::string& summary, Run run,
                     std::vector<Option> (*more)(TaskArguments&)) {
    const auto a = std::make_shared<TaskArguments>();
    std::vector<Option> options;
    const bool takes_id = name != "ps" && name != "dead";
    if (takes_id) options.push_back({"ID", "", "The task's number", &a->id, {}, true});
    for (Option& option : more(*a)) options.push_back(std::move(option));
    options.push_back({"--json", "", "Print one JSON document", &a->json});
    options = with_server(std::move(options), a->server);
    return {
        .name = name,
        .summary = summary,
        .examples = fmt::format("  switchyard {}{}{}", name, takes_id ? " 7" : "", name == "move" ? " --front" : ""),
        .options = std::move(options),
        .run = [a, run] { return run(*a); }};
}

std::vector<Option> limit_option(TaskArguments& a) {
    return {between(1, 1000, {"--limit", "N", "How many (default 20, at most 1000)", &a.limit})};
}

std::vector<Option> nothing_more(TaskArguments&) {
    return {};
}

}  // namespace

Command ps_command() {
    return task_command("ps", "List tasks, the latest first", run_ps, limit_option);
}

Command show_command() {
    return task_command(
        "show", "Everything known of a task, as JSON",
        [](const TaskArguments& a) { return print_json(ask_server(a.server, "GET", target_of(a.id))); }, nothing_more);
}

Command dead_command() {
    return task_command(
        "dead", "Tasks that ended badly and were not tried once more",
        [](const TaskArguments& a) {
            const auto answer = ask_server(a.server, "GET", fmt::format("/api/v1/dead?limit={}", a.limit));
            if (!answer || a.json) return print_json(answer);
            return print_dead((*answer)["tasks"]);
        },
        limit_option);
}

Command requeue_command() {
    return task_command(
        "requeue", "Do a task's work once more, as a new task; prints its number",
        [](const TaskArguments& a) {
            const auto answer = ask_server(a.server, "POST", target_of(a.id, "/requeue"));
            if (!answer || a.json) return print_json(answer);
            fmt::print("{}\n", (*answer)["id"].get<std::uint64_t>());
            return Exit::done;
        },
        nothing_more);
}

Command move_command() {
    return task_command("move", "Give a task another place in line: within its level, or another level", run_move,
                        [](TaskArguments& a) {
                            return std::vector<Option>{
                                {"--priority",
                                 "P",
                                 "CRITICAL, HIGH, NORMAL or LOW",
                                 &a.priority,
                                 {"CRITICAL", "HIGH", "NORMAL", "LOW"}},
                                {"--front", "", "Before all of its level", &a.front},
                                {"--back", "", "Behind all of its level", &a.back},
                                from(1, {"--before", "ID", "Before that task", &a.before}),
                                {"--anywhere", "", "To any GPU, if it is tied to one", &a.anywhere}};
                        });
}

Command cancel_command() {
    return task_command("cancel", "Cancel a task, whether it waits or runs", run_cancel, nothing_more);
}

Command explain_command() {
    return task_command("explain", "Why a task waits", run_explain, nothing_more);
}

Command logs_command() {
    return task_command("logs", "What a task has written", run_logs, [](TaskArguments& a) {
        return std::vector<Option>{{"-f,--follow", "", "Go on until it ends", &a.follow},
                                   {"--err", "", "What it wrote to stderr", &a.err}};
    });
}

}  // namespace sy::cli
