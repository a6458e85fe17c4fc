#include "sim/weather.h"

namespace sy::sim {

namespace {

/// Often nothing, otherwise up to `most`: calm runs show other bugs than storms.
double share(Random& random, double most) {
    return random.chance(0.25) ? 0 : random.uniform() * most;
}

Duration rarely(Random& random, Duration shortest, Duration longest) {
    return random.chance(0.25) ? Duration::zero() : random.between(shortest, longest);
}

}  // namespace

Weather draw_weather(Random& random) {
    const auto number = [&](std::int64_t low, std::int64_t high) {
        return static_cast<std::uint32_t>(random.between(low, high));
    };
    Weather w;
    w.nodes = number(1, 3);
    w.gpus_per_node = number(1, 4);
    w.tasks = number(10, 120);
    w.longest_task = random.between(Duration(2s), Duration(3min));
    w.most_retries = number(0, 6);
    w.gang = share(random, 0.5);
    w.failing = share(random, 0.3);
    w.hanging = share(random, 0.1);
    w.stubborn = share(random, 0.6);
    w.cancel = share(random, 0.4);
    w.storm = random.between(Duration(2min), Duration(15min));
    w.loss = share(random, 0.3);
    w.repeat = share(random, 0.3);
    w.straggle = share(random, 0.05);
    w.delay = random.between(Duration(1ms), Duration(2s));
    w.cut_every = rarely(random, 40s, 8min);
    w.longest_cut = random.between(Duration(5s), Duration(3min));
    w.worker_crash_every = rarely(random, 1min, 10min);
    w.worker_dies = share(random, 0.3);
    w.server_crash = share(random, 0.01);
    w.longest_server_absence = random.between(Duration(100ms), Duration(1min));
    w.server_pause_every = rarely(random, 1min, 10min);
    w.longest_server_pause = random.between(Duration(1s), Duration(1min));
    w.slowest_sync = random.between(Duration(100us), Duration(50ms));
    w.snapshot_every = random.chance(0.3) ? 0 : number(1, 300);
    w.clock_drift_ppm = number(0, 2000);
    w.calls = share(random, 1.0);
    w.ahead = rarely(random, 1s, 5min);
    w.saving = share(random, 1);
    return w;
}

}  // namespace sy::sim
