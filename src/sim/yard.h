// Yard: everything that takes part in one drill, wired together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/random.h"
#include "base/time.h"
#include "sim/agenda.h"
#include "sim/drill.h"
#include "sim/machine.h"
#include "sim/network.h"
#include "sim/server.h"
#include "sim/watch.h"
#include "sim/weather.h"

namespace sy::sim {

class Yard {
public:
    Yard(const Weather& weather, Random random, const DrillOptions& options);

    void open();
    void run_storm();
    void run_calm();
    void check();

    DrillReport report() const;

private:
    void enter(Duration after, Action action) { agenda_.enter(agenda_.now() + after, std::move(action)); }
    void run_until(Instant end);
    bool all_is_done() const;
    void check_that_nobody_is_kept_waiting();

    void plan_work();
    void plan_faults();
    /// Does it again and again at random intervals with this mean while the storm lasts; never where the mean is zero.
    void again_and_again(Duration mean, Action action);
    void submit(RequestId request);
    void move_somebody();
    void untie_somebody();
    TaskId anybody();
    void wish(const Event& event);
    void cut_line(GpuId gpu);
    void crash_worker(Machine& machine);
    void crash_server();

    void send_to_server(GpuId from, const FromWorker& message);
    void send_from_server(const Effect& effect);
    void answer_client(const Effect& effect);
    Fate fate(TaskId task, std::uint32_t attempt) const;
    TaskSpec draw_task();

    void tell(const std::string& line);

    const Weather weather_;
    const DrillOptions& options_;
    Random random_;
    std::uint64_t fate_seed_;
    Random wishes_;
    Agenda<Action> agenda_;
    Watch watch_;
    Network network_;
    Server server_;
    std::vector<std::unique_ptr<Machine>> machines_;
    Digest digest_;

    bool storming_ = true;
    Instant healed_ = kStart;        ///< When the last fault was over, once the storm is.
    std::size_t requests_open_ = 0;  ///< Submissions that have not reached the server or been lost.
    std::size_t submitted_ = 0;
    std::size_t worker_crashes_ = 0;
    std::set<GpuId> dead_;  ///< Workers that will not come back.
};

}  // namespace sy::sim
