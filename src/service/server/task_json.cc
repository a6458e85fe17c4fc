#include "service/server/task_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "service/process/signals.h"
#include "service/server/wall_text.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostWords = 4096;
constexpr std::size_t kMostName = 200;
constexpr double kMostMegabytes = 1e9;
constexpr double kMostSeconds = 31'536'000;
constexpr std::size_t kMostNeeds = 1'000;
constexpr double kMostGrace = 3'600;
constexpr Duration kGrace = 30s;
constexpr std::uint32_t kMostInArray = 100'000;

constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};

std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}

struct Wrong {
    std::string message;
};

[[noreturn]] void wrong(std::string_view field, const Json& value, std::string_view rule) {
    throw Wrong{fmt::format("{} is {}, it must be {}", field, shown(value), rule)};
}

std::string text_of(std::string_view field, const Json& value) {
    if (!value.is_string()) wrong(field, value, "a text");
    const auto& text = value.get_ref<const std::string&>();
    if (text.find('\0') != std::string::npos) wrong(field, value, "a text without a zero byte");
    return text;
}

double number_of(std::string_view field, const Json& value, double least, double most) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= least && number <= most))
        wrong(field, value, fmt::format("a number from {:g} to {:g}", least, most));
    return number;
}

std::uint32_t whole_of(std::string_view field, const Json& value, std::uint32_t least, std::uint32_t most) {
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most;
    if (!fits) wrong(field, value, fmt::format("a whole number from {} to {}", least, most));
    return value.get<std::uint32_t>();
}

Level level_of(const Json& value) {
    if (value.is_string())
        if (const auto level = level_named(value.get_ref<const std::string&>())) return *level;
    wrong("priority", value, "one of CRITICAL, HIGH, NORMAL, LOW");
}

/// What the loader would obey is not for a task to set.
bool is_allowed(const std::string& key) {
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !key.empty() && std::isdigit(static_cast<unsigned char>(key.front())) == 0 &&
           std::all_of(key.begin(), key.end(), plain) && !key.starts_with("LD_") && !key.starts_with("SWITCHYARD_");
}

void read_command(const Json& value, wire::Work& work) {
    if (!value.is_array() || value.empty() || value.size() > kMostWords)
        wrong("command", value, fmt::format("a list of 1 to {} texts: the program and its arguments", kMostWords));
    for (const Json& word : value) work.argv.push_back(text_of("command", word));
    if (work.argv.front().empty()) wrong("command", value, "a program and its arguments");
}

void read_environment(const Json& value, wire::Work& work) {
    if (!value.is_object()) wrong("env", value, "a map of texts");
    for (const auto& [key, text] : value.items()) {
        if (!is_allowed(key))
            wrong("env", key, "names of letters, digits and _ that begin with neither LD_ nor SWITCHYARD_");
        work.environment.push_back({key, text_of("env", text)});
    }
}

void read_limits(const Json& value, process::Limits& limits) {
    if (!value.is_object()) wrong("limits", value, "a map such as {\"cpu_s\": 600}");
    for (const auto& [name, amount] : value.items()) {
        const auto kind = std::find_if(process::kLimitKinds.begin(), process::kLimitKinds.end(),
                                       [&said = name](const process::LimitKind& k) { return said == k.name; });
        if (kind == process::kLimitKinds.end()) throw Wrong{fmt::format("there is no limit '{}'", name)};
        const std::string field = "limits." + name;
        limits.*kind->member = whole_of(field, amount, static_cast<std::uint32_t>(kind->least),
                                        static_cast<std::uint32_t>(process::kMostOfALimit));
    }
}

Duration seconds_of(const std::string& key, const Json& value, double least) {
    return Duration(std::llround(number_of(key, value, least, kMostSeconds) * 1e9));
}

void read_needs(const std::string& key, const Json& value, bool any_end, Submission& wanted) {
    if (!value.is_array() || value.size() > kMostNeeds)
        wrong(key, value, fmt::format("a list of at most {} task numbers", kMostNeeds));
    for (const Json& id : value) {
        if (!id.is_number_unsigned()) wrong(key, id, "a task's number");
        wanted.after.push_back({TaskId(id.get<std::uint64_t>()), any_end});
    }
}

std::string short_text(const std::string& key, const Json& value) {
    std::string text = text_of(key, value);
    if (text.size() > kMostName) wrong(key, value, fmt::format("at most {} bytes", kMostName));
    return text;
}

/// When a task may start, and after whom. False: the field is none of these.
bool read_when(const std::string& key, const Json& value, Submission& wanted) {
    if (key == "delay_s") {
        wanted.delay = seconds_of(key, value, 0);
    } else if (key == "deadline_s") {
        wanted.deadline = seconds_of(key, value, 0.001);
    } else if (key == "after" || key == "after_any") {
        read_needs(key, value, key == "after_any", wanted);
    } else if (key == "key") {
        wanted.key = short_text(key, value);
        if (wanted.key.empty()) wrong(key, value, "a word that tells this submission from others");
    } else if (key == "array") {
        wanted.array.count = whole_of(key, value, 1, kMostInArray);
    } else {
        return false;
    }
    return true;
}

/// What a call of a model may say. False: the field is none of these.
bool read_model(const std::string& key, const Json& value, Submission& wanted) {
    if (key == "model") {
        wanted.work.model = short_text(key, value);
        if (wanted.work.model.empty()) wrong(key, value, "a model's name");
    } else if (key == "type") {
        wanted.size.type = short_text(key, value);
    } else if (key == "size") {
        if (!value.is_object()) wrong(key, value, "a map of numbers, such as {\"atoms\": 500}");
        for (const auto& [name, amount] : value.items()) wanted.size.terms[name] = number_of(key, amount, 0, 1e12);
    } else if (key == "load_only") {
        if (!value.is_boolean()) wrong(key, value, "true or false");
        wanted.work.load_only = value.get<bool>();
    } else if (key == "next_model") {
        wanted.work.next_model = short_text(key, value);
    } else {
        return false;
    }
    return true;
}

/// How a command is told to save its work. False: the field is none of these.
bool read_checkpoint(const std::string& key, const Json& value, Submission& wanted) {
    if (key == "checkpoint_signal") {
        const auto signal =
            value.is_string() ? process::signal_named(value.get_ref<const std::string&>()) : std::nullopt;
        if (!signal) wrong(key, value, "one of USR1, USR2, TERM, INT, HUP, QUIT");
        wanted.work.checkpoint_signal = *signal;
        if (wanted.spec.checkpoint_grace == Duration::zero()) wanted.spec.checkpoint_grace = kGrace;
    } else if (key == "checkpoint_grace_s") {
        wanted.spec.checkpoint_grace = Duration(std::llround(number_of(key, value, 0.001, kMostGrace) * 1e9));
    } else {
        return false;
    }
    return true;
}

void check_checkpoint(const Submission& wanted) {
    if (wanted.spec.checkpoint_grace == Duration::zero()) return;
    if (wanted.work.checkpoint_signal == 0) throw Wrong{"the task has a checkpoint_grace_s and no checkpoint_signal"};
    if (!wanted.work.model.empty()) throw Wrong{"checkpoint_signal is for commands, this task calls a model"};
    if (wanted.spec.at_most_once) throw Wrong{"a task that is at_most_once cannot be resumed by checkpoint_signal"};
}

/// For a command a text, for a model anything.
void read_input(const Json& task, Submission& wanted) {
    const auto input = task.find("input");
    if (input == task.end()) return;
    wanted.work.input = wanted.work.model.empty() ? text_of("input", *input)
                                                  : input->dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_field(const std::string& key, const Json& value, Submission& wanted) {
    if (key == "command") {
        read_command(value, wanted.work);
    } else if (key == "name") {
        wanted.name = short_text(key, value);
    } else if (key == "user") {
        wanted.user = short_text(key, value);
    } else if (key == "env") {
        read_environment(value, wanted.work);
    } else if (key == "limits") {
        read_limits(value, wanted.work.limits);
    } else if (key == "folder") {
        wanted.work.folder = text_of(key, value);
        if (!wanted.work.folder.starts_with('/')) wrong(key, value, "a path from /");
    } else if (key == "input") {  // read when it is known for whom
    } else if (key == "gpus") {
        wanted.spec.demand.gpus = whole_of(key, value, 1, 256);
    } else if (key == "on") {
        wanted.spec.demand.on = {GpuId(whole_of(key, value, 0, 1'000'000)), 1};
    } else if (key == "kind") {
        wanted.kind = short_text(key, value);
        if (wanted.kind.empty()) wrong(key, value, "a kind of GPU, such as \"h100\"");
    } else if (key == "memory_mb") {
        wanted.spec.demand.memory = Bytes(static_cast<std::uint64_t>(number_of(key, value, 0, kMostMegabytes) * 1e6));
    } else if (key == "priority") {
        wanted.spec.level = level_of(value);
    } else if (key == "retries") {
        wanted.spec.retries = whole_of(key, value, 0, 1000);
    } else if (key == "at_most_once") {
        if (!value.is_boolean()) wrong(key, value, "true or false");
        wanted.spec.at_most_once = value.get<bool>();
    } else if (key == "timeout_s") {
        wanted.spec.timeout = seconds_of(key, value, 0.001);
    } else if (key == "estimate_s") {
        wanted.spec.estimate = seconds_of(key, value, 0);
    } else if (!read_when(key, value, wanted) && !read_model(key, value, wanted) &&
               !read_checkpoint(key, value, wanted)) {
        throw Wrong{fmt::format("a task has no field '{}'", key)};
    }
}

Json time_json(WallTime time) {
    return time == 0 ? Json(nullptr) : Json(time_text(time));
}

/// And by what they are set.
Json limits_json(const process::Limits& limits) {
    Json json{{"by", "rlimit"}};
    for (const process::LimitKind& kind : process::kLimitKinds)
        if (const auto& amount = limits.*kind.member) json[kind.name] = *amount;
    return json;
}

/// The limit that ended it, where its signal tells.
const char* limit_met(const process::Limits& limits, int signal) {
    if (signal == SIGXCPU && limits.cpu_s) return "cpu_s";
    if (signal == SIGXFSZ && limits.file_mb) return "file_mb";
    return nullptr;
}

Json attempt_json(const AttemptRecord& attempt, std::size_t number, const process::Limits& limits) {
    Json gpus = Json::array();
    for (GpuId gpu = attempt.gpus.first; gpu < attempt.gpus.end(); gpu = gpu.next()) gpus.push_back(gpu.value());
    Json json{{"number", number},
              {"gpus", gpus},
              {"started", time_json(attempt.started)},
              {"ended", time_json(attempt.ended)}};
    if (attempt.ended == 0) return json;
    const wire::Details& details = attempt.details;
    json["exit_code"] = details.signal == 0 && attempt.note.empty() ? Json(details.exit_code) : Json(nullptr);
    json["signal"] = details.signal == 0 ? Json(nullptr) : Json(details.signal);
    if (const char* limit = limit_met(limits, details.signal)) json["limit"] = limit;
    json["cpu_s"] = static_cast<double>(details.cpu_us) / 1e6;
    json["peak_memory_bytes"] = details.peak_bytes;
    if (details.gpu_peak_bytes > 0) json["gpu_peak_memory_bytes"] = details.gpu_peak_bytes;
    json["out_bytes"] = details.out_bytes;
    json["err_bytes"] = details.err_bytes;
    if (!details.error.empty()) json["error"] = details.error;
    if (!details.tail.empty()) json["err_tail"] = details.tail;
    if (details.http_status > 0) json["http_status"] = details.http_status;
    if (details.load_us > 0) json["load_s"] = static_cast<double>(details.load_us) / 1e6;
    if (details.ahead_us > 0) json["load_ahead_s"] = static_cast<double>(details.ahead_us) / 1e6;
    if (details.wake_us > 0) json["wake_s"] = static_cast<double>(details.wake_us) / 1e6;
    if (!attempt.note.empty()) json["note"] = attempt.note;
    return json;
}

/// A task that only loads its model has none.
Json output_json(const std::string& output) {
    return output.empty() ? Json(nullptr) : Json::parse(output, nullptr, false);
}

}  // namespace

std::optional<Level> level_named(std::string_view name) {
    for (const Level level : kLevels)
        if (name == name_of(level)) return level;
    return std::nullopt;
}

std::string state_text(const TaskRecord& record, const Task* live) {
    if (live == nullptr) return name_of(record.state);
    switch (live->state) {
        case TaskState::waiting: return "queued";
        case TaskState::held: return live->needs > 0 ? "blocked" : "delayed";
        case TaskState::running:
        case TaskState::stopping: return "running";
    }
    return "queued";
}

Result<Submission> read_submission(const Json& json) {
    Submission wanted;
    try {
        if (!json.is_object()) throw Wrong{fmt::format("the task is {}, it must be a map", shown(json))};
        for (const auto& [key, value] : json.items()) read_field(key, value, wanted);
        if (wanted.work.argv.empty() && wanted.work.model.empty())
            throw Wrong{"the task has neither a command nor a model"};
        if (!wanted.work.argv.empty() && !wanted.work.model.empty())
            throw Wrong{"the task has both a command and a model"};
        if (wanted.spec.demand.is_tied()) wanted.spec.demand.on.count = wanted.spec.demand.gpus;
        check_checkpoint(wanted);
        if (!wanted.work.next_model.empty() && wanted.work.model.empty())
            throw Wrong{
                fmt::format("next_model is '{}', and this task calls no model itself: name one, or leave "
                            "next_model out",
                            wanted.work.next_model)};
        if (!wanted.work.model.empty() && wanted.work.limits != process::Limits{})
            throw Wrong{"limits are for commands: a model's runner serves many tasks"};
        read_input(json, wanted);
    } catch (const Wrong& trouble) {
        return fail(Fault::invalid_input, trouble.message);
    }
    if (!wanted.work.model.empty()) return wanted;
    const auto has_path = std::any_of(wanted.work.environment.begin(), wanted.work.environment.end(),
                                      [](const wire::Setting& setting) { return setting.key == "PATH"; });
    if (!has_path) wanted.work.environment.push_back({"PATH", "/usr/local/bin:/usr/bin:/bin"});
    return wanted;
}

Json task_json(TaskId id, const TaskRecord& record, const Task* live) {
    Json json{{"id", id.value()},
              {"name", record.name},
              {"user", record.user},
              {"state", state_text(record, live)},
              {"command", record.work.argv},
              {"model", record.work.model.empty() ? Json(nullptr) : Json(record.work.model)},
              {"priority", name_of(record.spec.level)},
              {"gpus", record.spec.demand.gpus},
              {"memory_mb", static_cast<double>(record.spec.demand.memory.value()) / 1e6},
              {"retries", record.spec.retries},
              {"at_most_once", record.spec.at_most_once},
              {"timeout_s", to_seconds(record.spec.timeout)},
              {"submitted", time_json(record.submitted)},
              {"ended", time_json(record.ended)},
              {"attempts", Json::array()}};
    for (std::size_t i = 0; i < record.attempts.size(); ++i)
        json["attempts"].push_back(attempt_json(record.attempts[i], i + 1, record.work.limits));
    if (!record.work.model.empty() && record.state == State::succeeded && !record.attempts.empty())
        json["output"] = output_json(record.attempts.back().details.output);
    if (record.work.checkpoint_signal != 0) {
        json["checkpoint_signal"] = process::name_of_signal(record.work.checkpoint_signal);
        json["checkpoint_grace_s"] = to_seconds(record.spec.checkpoint_grace);
    }
    if (record.work.limits != process::Limits{}) json["limits"] = limits_json(record.work.limits);
    if (record.spec.demand.is_tied()) json["on"] = record.spec.demand.on.first.value();
    if (record.delay > Duration::zero()) json["delay_s"] = to_seconds(record.delay);
    for (const Need& need : record.after) json[need.any_end ? "after_any" : "after"].push_back(need.task.value());
    if (record.array.count > 0) json["array"] = {{"index", record.array.index}, {"count", record.array.count}};
    if (record.again != TaskId{}) json["requeued_as"] = record.again.value();
    if (record.in_place_of != TaskId{}) json["in_place_of"] = record.in_place_of.value();
    return json;
}

}  // namespace sy::server
