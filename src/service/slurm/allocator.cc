#include "service/slurm/allocator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::slurm {

namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kLongestPause = 1min;

template <class T>
T value_of(const Json& json, const char* key, T otherwise) {
    const auto found = json.find(key);
    if (found == json.end()) return otherwise;
    if constexpr (std::is_same_v<T, bool>) return found->is_boolean() ? found->get<bool>() : otherwise;
    if constexpr (std::is_same_v<T, std::string>) return found->is_string() ? found->get<std::string>() : otherwise;
    if constexpr (std::is_same_v<T, std::uint64_t>)
        return found->is_number_unsigned() ? found->get<std::uint64_t>() : otherwise;
}

std::vector<HostSeen> hosts_in(const Json& json, const std::string& pool) {
    std::vector<HostSeen> hosts;
    const auto list = json.find("hosts");
    if (list == json.end() || !list->is_array()) return hosts;
    for (const Json& host : *list) {
        if (!host.is_object()) continue;
        const auto slot = slot_of_host(pool, value_of<std::string>(host, "name", ""));
        if (!slot) continue;
        hosts.push_back({.slot = *slot,
                         .here = value_of<std::string>(host, "state", "") == "here",
                         .draining = value_of(host, "draining", false),
                         .busy = static_cast<std::uint32_t>(value_of<std::uint64_t>(host, "busy", 0))});
    }
    return hosts;
}

std::string how_it_ended(const Ended& ended) {
    if (ended.asked) return "as it was told to";
    const std::string word = ended.word.empty() ? "Slurm knows nothing of it any more" : "Slurm says " + ended.word;
    return ended.came ? word : word + ", before its worker came";
}

}  // namespace

Duration Allocator::look(Closing closing) {
    Sight sight;
    auto jobs = ask_slurm();
    if (!jobs) return back_off(slurm_, "Slurm", jobs.error());
    is_well(slurm_, "Slurm");
    sight.jobs = std::move(*jobs);
    jobs_.clear();
    for (const JobSeen& job : sight.jobs)
        if (job.stage != JobStage::over) jobs_.push_back(job.id);
    if (const auto asked = ask_service(sight); asked) {
        is_well(service_, "the service");
    } else if (closing != Closing::at_once) {
        if (closing != Closing::no && jobs_.empty()) closed_ = true;
        return back_off(service_, "the service", asked.error());
    }
    const auto steps = pool_.look(sight, world_.clock(), closing);
    for (const Ended& ended : pool_.ended()) tell("ended", ended.slot, ended.job, how_it_ended(ended));
    for (const Step& step : steps) carry_out(step, sight);
    closed_ = closing != Closing::no && pool_.is_empty();
    return every_;
}

Result<std::vector<JobSeen>> Allocator::ask_slurm() {
    const auto printed = world_.run(squeue_words(), {});
    if (!printed) return tl::unexpected(printed.error());
    return jobs_in(*printed, wish_.pool);
}

Result<void> Allocator::ask_service(Sight& sight) {
    const auto hosts = world_.ask("GET", "/api/v1/hosts");
    if (!hosts) return tl::unexpected(hosts.error());
    const auto queue = world_.ask("GET", "/api/v1/queue");
    if (!queue) return tl::unexpected(queue.error());
    sight.hosts = hosts_in(*hosts, wish_.pool);
    sight.waiting = value_of(*queue, "paused", false) ? 0 : value_of<std::uint64_t>(*queue, "queued", 0);
    return {};
}

Duration Allocator::back_off(Trouble& trouble, const std::string& whose, const Error& error) {
    trouble.pause = trouble.lasts ? std::min(trouble.pause * 2, std::max(kLongestPause, every_)) : every_;
    if (!std::exchange(trouble.lasts, true))
        world_.tell({"trouble", {}, {}, fmt::format("{} does not answer: {}", whose, error.message)});
    return trouble.pause;
}

void Allocator::is_well(Trouble& trouble, const std::string& whose) {
    if (std::exchange(trouble.lasts, false)) world_.tell({"well", {}, {}, whose + " answers again"});
}

void Allocator::carry_out(const Step& step, const Sight& sight) {
    switch (step.what) {
        case Step::Do::start: return start(step, sight);
        case Step::Do::drain: return operate(step, "drain");
        case Step::Do::resume: return operate(step, "resume");
        case Step::Do::cancel: return cancel(step);
    }
}

/// A slot that was drained to end its last job takes work again.
void Allocator::start(const Step& step, const Sight& sight) {
    for (const HostSeen& host : sight.hosts)
        if (host.slot == step.slot && host.draining)
            operate({.what = Step::Do::resume, .slot = step.slot, .job = {}, .why = "its next job begins"}, "resume");
    const auto printed = world_.run(sbatch_words(), script_of(wish_, step.slot));
    const auto job = printed ? job_in(*printed) : tl::unexpected(printed.error());
    if (job) {
        pool_.started(step.slot, *job);
        return tell("start", step.slot, *job, step.why);
    }
    pool_.start_failed(world_.clock());
    tell("trouble", step.slot, {}, job.error().message);
}

void Allocator::operate(const Step& step, const char* verb) {
    const auto done = world_.ask("POST", fmt::format("/api/v1/hosts/{}/{}", host_name(wish_.pool, step.slot), verb));
    if (done) return tell(verb, step.slot, step.job, step.why);
    tell("trouble", step.slot, step.job, fmt::format("it could not be told to {}: {}", verb, done.error().message));
}

void Allocator::cancel(const Step& step) {
    const auto done = world_.run(scancel_words(step.job), {});
    if (done) return tell("cancel", step.slot, step.job, step.why);
    pool_.not_cancelled(step.slot);
    tell("trouble", step.slot, step.job, done.error().message);
}

void Allocator::tell(const char* what, std::uint32_t slot, const std::string& job, const std::string& why) {
    world_.tell({what, host_name(wish_.pool, slot), job, why});
}

}  // namespace sy::slurm
