// One pass over the GPUs a family, since the format wants families whole. 10,000 GPUs make a page of about two
// megabytes; the `metrics` bench times it.
#include "service/server/scrape.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "service/metrics/process.h"
#include "service/metrics/text.h"
#include "service/pipelines/scrape.h"

namespace sy::server {

namespace {

using metrics::Text;
using metrics::Type;

constexpr std::array kLevels{Level::critical, Level::high, Level::normal, Level::low};
constexpr std::size_t kBytesForAll = 16'384;
constexpr std::size_t kBytesForAGpu = 320;

void write_scheduler(Text& text, const Scene& scene) {
    text.family("scheduler_queue_size", Type::gauge, "Tasks that wait, by priority.");
    for (const Level level : kLevels) text.value(scene.measures.queued(level), {{"priority", name_of(level)}});
    text.family("scheduler_queue_wait_seconds", Type::histogram,
                "Time from submission, or from the last return to the queue, to the start.");
    for (const Level level : kLevels) text.value(scene.measures.waits(level), {{"priority", name_of(level)}});
    text.single("scheduler_schedule_total", Type::counter, "Attempts started.", scene.core.tally().started);
    const Measures::Failures& failures = scene.measures.failures();
    text.family("scheduler_schedule_failures", Type::counter, "Attempts that came to nothing, by cause.");
    text.value(failures.failed, {{"cause", "failed"}});
    text.value(failures.timed_out, {{"cause", "timed_out"}});
    text.value(failures.lost, {{"cause", "lost"}});
}

/// One sample a GPU, of those for which there is a value.
template <class ValueOf>
void write_each_gpu(Text& text, const Scene& scene, ValueOf value_of) {
    const auto count = static_cast<std::uint32_t>(scene.core.ledger().gpu_count());
    for (std::uint32_t gpu = 0; gpu < count; ++gpu) {
        if (scene.core.ledger().is_gone(GpuId(gpu))) continue;
        const auto value = value_of(GpuId(gpu));
        if (!value) continue;
        const fmt::format_int name(gpu);
        text.value(*value, {{"gpu", std::string_view(name.data(), name.size())}});
    }
}

void write_gpus(Text& text, const Scene& scene) {
    const cluster::Ledger& ledger = scene.core.ledger();
    const auto sample = [&](GpuId gpu) {
        return gpu.value() < scene.gpus.size() ? scene.gpus[gpu.value()] : metrics::GpuSample{};
    };
    const auto count = [](std::uint64_t number) { return std::optional(number); };
    text.family("gpu_memory_used_bytes", Type::gauge, "Memory in use, whoever uses it.");
    write_each_gpu(text, scene, [&](GpuId gpu) {
        const auto used = sample(gpu).memory_used;
        return used ? count(used->value()) : std::nullopt;
    });
    text.family("gpu_memory_total_bytes", Type::gauge, "Memory the card has.");
    write_each_gpu(text, scene,
                   [&](GpuId gpu) { return count(sample(gpu).memory_total.value_or(ledger.memory(gpu)).value()); });
    text.family("gpu_utilization_percent", Type::gauge, "Share of time in which something ran on the card.");
    write_each_gpu(text, scene, [&](GpuId gpu) { return sample(gpu).utilization_percent; });
    text.family("gpu_temperature_celsius", Type::gauge, "The card's temperature.");
    write_each_gpu(text, scene, [&](GpuId gpu) { return sample(gpu).temperature_celsius; });
    text.family("gpu_tasks_total", Type::counter, "Attempts started there, a gang on each of its GPUs.");
    write_each_gpu(text, scene, [&](GpuId gpu) { return count(scene.measures.started_on(gpu)); });
    text.family("switchyard_gpu_busy", Type::gauge, "1 where a task holds the GPU.");
    write_each_gpu(text, scene, [&](GpuId gpu) { return count(ledger.holder(gpu) ? 1 : 0); });
}

void write_tasks(Text& text, const Scene& scene) {
    const measure::Tally& tally = scene.core.tally();
    text.family("switchyard_tasks_ended_total", Type::counter, "Tasks that ended, by how.");
    text.value(tally.succeeded, {{"end", "succeeded"}});
    text.value(tally.failed, {{"end", "failed"}});
    text.value(tally.timed_out, {{"end", "timed_out"}});
    text.value(tally.lost, {{"end", "lost"}});
    text.value(tally.cancelled, {{"end", "cancelled"}});
    text.single("switchyard_tasks_running", Type::gauge, "Tasks that hold GPUs.",
                std::uint64_t{scene.core.live_count() - scene.core.waiting_count()});
    text.single("switchyard_tasks_accepted_total", Type::counter, "Tasks taken.", tally.accepted);
    text.single("switchyard_tasks_refused_total", Type::counter, "Tasks that could never run.", tally.refused);
    text.single("switchyard_attempts_void_total", Type::counter, "Attempts that do not count.", tally.voided);
    text.single("switchyard_preemptions_total", Type::counter, "Attempts that made way for a CRITICAL task.",
                tally.preempted);
    text.single("switchyard_late_reports_total", Type::counter, "Reports of attempts that no longer counted.",
                tally.late_reports);
    text.single("switchyard_queue_paused", Type::gauge, "1 while nothing new starts.",
                std::uint64_t{scene.core.is_paused() ? 1U : 0U});
    std::uint64_t present = 0;
    for (const auto& worker : scene.core.health().workers()) present += worker.session != SessionId{} ? 1U : 0U;
    text.single("switchyard_workers_present", Type::gauge, "Workers that are with us.", present);
    text.single("switchyard_workers_lost_total", Type::counter, "Workers that died or fell silent.",
                scene.measures.workers_lost());
}

void write_service(Text& text, const Scene& scene) {
    text.single("switchyard_commit_latency_seconds", Type::histogram, "Time from a turn of the loop to its durability.",
                scene.commits.latency);
    text.single("switchyard_commits_total", Type::counter, "Commits of the store.", scene.commits.commits);
    text.single("switchyard_commit_groups_total", Type::counter, "Groups of events in those commits.",
                scene.commits.groups);
    if (!scene.folder.empty()) {
        text.family("switchyard_store_bytes", Type::gauge, "Size of the store's files.");
        text.value(metrics::file_bytes(scene.folder + "/switchyard.db"), {{"file", "database"}});
        text.value(metrics::file_bytes(scene.folder + "/switchyard.db-wal"), {{"file", "log"}});
    }
    text.family("switchyard_http_requests_total", Type::counter, "Requests answered, by class of status.");
    constexpr std::array kClasses{"1xx", "2xx", "3xx", "4xx", "5xx"};
    for (std::size_t i = 0; i < kClasses.size(); ++i) text.value(scene.traffic.by_class[i], {{"status", kClasses[i]}});
    text.single("switchyard_http_connections", Type::gauge, "Connections that are open.",
                std::uint64_t{scene.connections});
    text.single("switchyard_event_listeners", Type::gauge, "Who follows the stream of events.",
                std::uint64_t{scene.listeners});
    text.single("switchyard_process_cpu_seconds_total", Type::counter, "Processor time of the server.",
                metrics::cpu_seconds());
    text.single("switchyard_process_resident_bytes", Type::gauge, "Memory of the server.", metrics::resident_bytes());
    text.single("switchyard_uptime_seconds", Type::gauge, "Time since the server started.", to_seconds(scene.uptime));
    text.family("switchyard_build_info", Type::gauge, "1, with what the server is.");
    text.value(std::uint64_t{1}, {{"version", scene.version}});
}

}  // namespace

std::string scrape(const Scene& scene) {
    Text text;
    text.reserve(kBytesForAll + kBytesForAGpu * scene.core.ledger().gpu_count());
    write_scheduler(text, scene);
    write_gpus(text, scene);
    write_tasks(text, scene);
    write_service(text, scene);
    if (scene.pipelines != nullptr) pipelines::scrape(text, *scene.pipelines);
    return text.take();
}

}  // namespace sy::server
