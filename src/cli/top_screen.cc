#include "cli/top_screen.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::cli {

namespace {

using Json = nlohmann::ordered_json;

/// "14:05:09" of "2026-01-31T14:05:09.123Z".
std::string clock_of(const std::string& time) {
    return time.size() >= 19 ? time.substr(11, 8) : time;
}

std::string age_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::max(seconds, 0.0));
    if (whole < 60) return fmt::format("{}s", whole);
    if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
    return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::string memory_text(const Json& gpu) {
    const double total = gpu["memory_mb"].get<double>() / 1e3;
    if (!gpu.contains("memory_used_mb")) return fmt::format("{:.0f} GB", total);
    return fmt::format("{:.1f} of {:.0f} GB", gpu["memory_used_mb"].get<double>() / 1e3, total);
}

std::string what_of(const Json& task) {
    if (std::string name = task["name"]; !name.empty()) return name;
    std::string text;
    for (const Json& word : task["command"]) text += (text.empty() ? "" : " ") + word.get<std::string>();
    return text;
}

std::string head(const Json& overview) {
    const Json& queue = overview["queue"];
    std::size_t busy = 0;
    std::size_t away = 0;
    for (const Json& gpu : overview["gpus"]) {
        if (gpu["state"] == "busy") ++busy;
        if (gpu["state"] == "no_worker") ++away;
    }
    std::string levels;
    for (const auto& [level, count] : queue["by_priority"].items())
        levels += fmt::format("  {} {}", level, count.get<std::uint64_t>());
    const Json& ended = overview["ended"];
    return fmt::format(
        "switchyard  {}  {} {}GPUs: {} busy, {} without a worker{}\n"
        "queue {}{}{}\nended{}\n",
        clock_of(overview["at"]), overview["gpus"].size(), overview["simulated"].get<bool>() ? "simulated " : "", busy,
        away, overview["disk_full"].get<bool>() ? "  THE DISK IS FULL" : "", queue["queued"].get<std::uint64_t>(),
        levels, queue["paused"].get<bool>() ? "  PAUSED" : "", [&] {
            std::string text;
            for (const auto& [how, count] : ended.items())
                text += fmt::format("  {} {}", how, count.get<std::uint64_t>());
            return text;
        }());
}

std::string gpu_line(const Json& gpu) {
    const std::string task = gpu["task"].is_null() ? "" : std::to_string(gpu["task"].get<std::uint64_t>());
    const auto figure = [&](const char* name, const char* unit) {
        return gpu.contains(name) ? fmt::format("{:.0f}{}", gpu[name].get<double>(), unit) : std::string("-");
    };
    return fmt::format("{:>4}  {:<10} {:<16} {:>5} {:>6}  {}", gpu["id"].get<std::uint32_t>(),
                       gpu["state"].get<std::string>(), memory_text(gpu), figure("utilization_percent", "%"),
                       figure("temperature_celsius", "C"), task);
}

std::string task_line(const Json& task) {
    const auto first = task["first_gpu"].get<std::uint32_t>();
    const auto count = task["gpus"].get<std::uint32_t>();
    const std::string gpus = count == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + count - 1);
    return fmt::format("{:>8}  {:<9} {:<8} {:>7}  {}{}", task["id"].get<std::uint64_t>(),
                       task["priority"].get<std::string>(), gpus, age_text(task.value("seconds", 0.0)),
                       task["stopping"].get<bool>() ? "(stopping) " : "", what_of(task));
}

/// A title and as many lines as there is room for; the last says how many are left out.
template <class LineOf>
void add_part(std::string& page, const std::string& title, const Json& items, std::size_t room, ScreenSize size,
              LineOf line_of) {
    page += "\n" + title + "\n";
    const std::size_t shown = items.size() <= room ? items.size() : std::max<std::size_t>(room, 1) - 1;
    for (std::size_t i = 0; i < shown; ++i) page += printable(line_of(items[i]), size.columns) + "\n";
    if (shown < items.size()) page += fmt::format("      and {} more\n", items.size() - shown);
}

}  // namespace

std::string draw_top(const Json& overview, const std::deque<std::string>& events, ScreenSize size) {
    constexpr std::size_t kTitles = 3 + 6;
    const std::size_t room = size.rows > kTitles ? size.rows - kTitles : 0;
    const std::size_t for_events = std::min(events.size(), room / 4);
    const std::size_t for_tasks = std::min(overview["running"].size(), (room - for_events) / 2);
    std::string page;
    const std::string top = head(overview);
    for (std::size_t at = 0; at < top.size();) {
        const std::size_t end = top.find('\n', at);
        page += printable(top.substr(at, end - at), size.columns) + "\n";
        at = end + 1;
    }
    add_part(page, fmt::format("{:>4}  {:<10} {:<16} {:>5} {:>6}  {}", "gpu", "state", "memory", "use", "heat", "task"),
             overview["gpus"], room - for_events - for_tasks, size, gpu_line);
    add_part(page, fmt::format("{:>8}  {:<9} {:<8} {:>7}  {}", "running", "priority", "gpu", "age", "name"),
             overview["running"], for_tasks, size, task_line);
    if (for_events == 0) return page;
    page += "\nevents\n";
    for (std::size_t i = events.size() - for_events; i < events.size(); ++i)
        page += printable(events[i], size.columns) + "\n";
    return page;
}

std::string event_line(const http::Event& event) {
    const Json said = Json::parse(event.data, nullptr, false);
    if (!said.is_object() || !said.contains("what")) return "";
    std::string text = clock_of(said.value("at", "")) + " " + event.name;
    if (said.contains("task")) text += fmt::format(" {}", said["task"].get<std::uint64_t>());
    if (said.contains("gpu")) text += fmt::format(" of gpu{}", said["gpu"].get<std::uint64_t>());
    text += " " + said["what"].get<std::string>();
    if (said["what"] == "ended") text += ": " + said.value("state", "");
    if (said.contains("cause")) text += ": " + said.value("cause", "");
    return text;
}

}  // namespace sy::cli
