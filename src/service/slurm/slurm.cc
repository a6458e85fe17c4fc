#include "service/slurm/slurm.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace sy::slurm {

namespace {

/// In the order of kFormat. The name comes last: others may call their jobs anything.
constexpr const char* kFormat = "%i|%T|%L|%r|%j";

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<std::string_view> split(std::string_view text, char mark, std::size_t most = SIZE_MAX) {
    std::vector<std::string_view> parts;
    while (parts.size() + 1 < most) {
        const std::size_t at = text.find(mark);
        if (at == std::string_view::npos) break;
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + 1);
    }
    parts.push_back(text);
    return parts;
}

std::optional<std::uint32_t> slot_after(const std::string& prefix, std::string_view name) {
    if (!name.starts_with(prefix)) return std::nullopt;
    const std::string_view digits = name.substr(prefix.size());
    const auto number = number_in(digits);
    if (!number || *number > UINT32_MAX || digits != std::to_string(*number)) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

JobStage stage_of(std::string_view word) {
    static const std::map<std::string_view, JobStage> kStages{
        {"PENDING", JobStage::pending},       {"CONFIGURING", JobStage::pending}, {"REQUEUED", JobStage::pending},
        {"REQUEUE_HOLD", JobStage::pending},  {"REQUEUE_FED", JobStage::pending}, {"SPECIAL_EXIT", JobStage::pending},
        {"RESV_DEL_HOLD", JobStage::pending}, {"COMPLETING", JobStage::ending},   {"SIGNALING", JobStage::ending},
        {"STAGE_OUT", JobStage::ending},      {"BOOT_FAIL", JobStage::over},      {"CANCELLED", JobStage::over},
        {"COMPLETED", JobStage::over},        {"DEADLINE", JobStage::over},       {"FAILED", JobStage::over},
        {"NODE_FAIL", JobStage::over},        {"OUT_OF_MEMORY", JobStage::over},  {"PREEMPTED", JobStage::over},
        {"REVOKED", JobStage::over},          {"TIMEOUT", JobStage::over}};
    const auto found = kStages.find(word);
    return found == kStages.end() ? JobStage::running : found->second;
}

std::string quoted(const std::string& word) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./:=,@%+").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

std::string host_name(const std::string& pool, std::uint32_t slot) {
    return fmt::format("{}-{}", pool, slot);
}

std::string job_name(const std::string& pool, std::uint32_t slot) {
    return "switchyard-" + host_name(pool, slot);
}

std::optional<std::uint32_t> slot_of_host(const std::string& pool, std::string_view name) {
    return slot_after(pool + "-", name);
}

std::optional<std::uint32_t> slot_of_job(const std::string& pool, std::string_view name) {
    return slot_after("switchyard-" + pool + "-", name);
}

/// The worker takes the shell's place, so that it gets Slurm's signals. Slurm asks it to end ahead of its time as well:
/// then that happens even where nobody allocates any more.
std::string script_of(const JobWish& wish, std::uint32_t slot) {
    std::string text = "#!/bin/sh\n";
    const auto say = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };
    say("--job-name=" + job_name(wish.pool, slot));
    say("--nodes=1");
    say("--ntasks=1");
    say(fmt::format("--gres=gpu:{}", wish.gpus));
    say("--time=" + wish.time);
    say(fmt::format("--signal=B:TERM@{:.0f}", to_seconds(wish.drain_ahead)));
    say("--no-requeue");
    say(fmt::format("--output={}/{}-%j.log", wish.logs, host_name(wish.pool, slot)));
    if (!wish.partition.empty()) say("--partition=" + wish.partition);
    if (!wish.account.empty()) say("--account=" + wish.account);
    for (const std::string& option : wish.more) say(option);
    text += "exec";
    for (const std::string& word : wish.worker) text += " " + quoted(word);
    text +=
        fmt::format(" --name {} --folder \"${{TMPDIR:-/tmp}}/switchyard-$SLURM_JOB_ID\"\n", host_name(wish.pool, slot));
    return text;
}

std::vector<std::string> sbatch_words() {
    return {"sbatch", "--parsable"};
}

/// Those that ended lately too: so it is known how they did.
std::vector<std::string> squeue_words() {
    return {"squeue", "--me", "--noheader", "--states=all", std::string("--format=") + kFormat};
}

std::vector<std::string> scancel_words(const std::string& job) {
    return {"scancel", job};
}

Result<std::string> job_in(std::string_view printed) {
    const std::string_view line = split(printed, '\n').front();
    const std::string_view id = split(line, ';').front();  // ";cluster" may follow
    if (!number_in(id))
        return fail(Fault::failed, fmt::format("sbatch printed '{}', which is no number of a job", line));
    return std::string(id);
}

Result<std::vector<JobSeen>> jobs_in(std::string_view printed, const std::string& pool) {
    std::vector<JobSeen> jobs;
    for (const std::string_view line : split(printed, '\n')) {
        if (line.empty()) continue;
        const auto parts = split(line, '|', 5);
        if (parts.size() != 5)
            return fail(Fault::failed, fmt::format("squeue printed '{}', which cannot be read", line));
        const auto slot = slot_of_job(pool, parts[4]);
        if (!slot) continue;
        JobSeen job{.id = std::string(parts[0]),
                    .slot = *slot,
                    .stage = stage_of(parts[1]),
                    .word = std::string(parts[1]),
                    .reason = std::string(parts[3])};
        if (job.stage == JobStage::running) job.left = time_in(parts[2]);
        jobs.push_back(std::move(job));
    }
    return jobs;
}

std::optional<Duration> time_in(std::string_view text) {
    const auto days_and_rest = split(text, '-');
    if (days_and_rest.size() > 2) return std::nullopt;
    const bool has_days = days_and_rest.size() == 2;
    const auto days = has_days ? number_in(days_and_rest[0]) : 0;
    const auto parts = split(days_and_rest.back(), ':');
    std::array<std::uint64_t, 3> figures{};  // hours, minutes, seconds
    const std::size_t first = has_days ? 0 : parts.size() == 3 ? 0 : 1;
    if (!days || parts.size() > 3 - first) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto figure = number_in(parts[i]);
        constexpr std::uint64_t kMost = 1'000'000;
        if (!figure || *figure > kMost || *days > kMost) return std::nullopt;
        figures.at(first + i) = *figure;
    }
    const auto whole = static_cast<std::int64_t>(((*days * 24 + figures[0]) * 60 + figures[1]) * 60 + figures[2]);
    return std::chrono::seconds(whole);
}

}  // namespace sy::slurm
