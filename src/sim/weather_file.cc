#include "sim/weather_file.h"

#include "input/fields.h"

namespace sy::sim {

Result<Weather> read_weather(const input::Document& document, Weather weather) {
    input::Fields fields(document);
    fields.number("nodes", weather.nodes, 1, 64);
    fields.number("gpus_per_node", weather.gpus_per_node, 1, 64);

    fields.number("tasks", weather.tasks, 0, 100'000);
    fields.duration("longest_task", weather.longest_task, 100ms, 1h);
    fields.number("most_retries", weather.most_retries, 0, 1000);
    fields.share("calls", weather.calls);
    fields.period("ahead", weather.ahead, 1ms, 1h);
    fields.share("gang", weather.gang);
    fields.share("failing", weather.failing);
    fields.share("hanging", weather.hanging);
    fields.share("stubborn", weather.stubborn);
    fields.share("cancel", weather.cancel);
    fields.share("saving", weather.saving);

    fields.duration("storm", weather.storm, 1s, 24h);
    fields.share("loss", weather.loss);
    fields.share("repeat", weather.repeat);
    fields.share("straggle", weather.straggle);
    fields.duration("delay", weather.delay, 1ms, 1min);
    fields.period("cut_every", weather.cut_every, 1s, 24h);
    fields.duration("longest_cut", weather.longest_cut, 1ms, 1h);
    fields.period("worker_crash_every", weather.worker_crash_every, 1s, 24h);
    fields.share("worker_dies", weather.worker_dies);
    fields.share("server_crash", weather.server_crash);
    fields.duration("longest_server_absence", weather.longest_server_absence, 1ms, 1h);
    fields.period("server_pause_every", weather.server_pause_every, 1s, 24h);
    fields.duration("longest_server_pause", weather.longest_server_pause, 1ms, 1h);
    fields.duration("slowest_sync", weather.slowest_sync, 10us, 10s);
    fields.number("snapshot_every", weather.snapshot_every, 0, 1'000'000);
    fields.number("clock_drift_ppm", weather.clock_drift_ppm, 0, 10'000);

    if (auto error = fields.finish()) return tl::unexpected(*std::move(error));
    return weather;
}

}  // namespace sy::sim
