// Api: what can be asked of the service over HTTP. The table of routes is in api_routes.cc; every request passes the
// gate on its way to one of them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/control/forecast.h"
#include "input/service_config.h"
#include "service/audit/log.h"
#include "service/auth/gate.h"
#include "service/http/server.h"
#include "service/metrics/gpu_sample.h"
#include "service/server/engine.h"
#include "service/server/gpu_watch.h"
#include "service/server/route.h"
#include "service/server/task_rules.h"

namespace sy::runs {
class Runs;
}
namespace sy::openai {
class Front;
}
namespace sy::loop {
class Loop;
}
namespace sy::pipelines {
class Pipelines;
class Served;
struct Answer;
}  // namespace sy::pipelines

namespace sy::server {

class Hosts;

struct ApiOptions {
    std::string log_folder;
    std::vector<bool> spared;                        ///< By GPU: no work is given to it.
    bool simulated = false;                          ///< The GPUs are not real, and every answer about them says so.
    std::function<std::string(GpuId)> kind_of = {};  ///< Empty where it is not known.
    bool allow_commands = true;
    std::function<http::Response()> metrics = {};                       ///< What /metrics answers; may be empty.
    std::function<http::Response()> overview = {};                      ///< Likewise /api/v1/overview.
    std::function<http::Response(const http::Request&)> events = {};    ///< What /api/v1/events answers; may be empty.
    std::function<http::Response(const http::Request&)> timeline = {};  ///< Likewise /api/v1/timeline.
    TaskRules rules;
    input::EffectiveConfig config;  ///< To show.
    std::string version;
    std::function<void(const audit::Record&)> record;  ///< Of each request that changes something, once answered.
    std::function<void(const std::string&)> say = {};  ///< A line for the log; may be empty.
};

class Api {
public:
    Api(Engine& engine, auth::Gate& gate, ApiOptions options)
        : engine_(engine), gate_(gate), options_(std::move(options)) {}

    /// How the GPUs are now, from the first on; nothing is known of one that was not looked at.
    std::vector<metrics::GpuSample> samples() const;
    void show_gpus(GpuId first, std::vector<GpuState> states);

    /// The batches; to be said before the first request.
    void use(runs::Runs& runs) { runs_ = &runs; }
    /// The models over many nodes; likewise.
    void use(pipelines::Pipelines& pipelines) { pipelines_ = &pipelines; }
    /// What stands under /v1; likewise.
    void use(openai::Front& front) { front_ = &front; }
    /// The machines elsewhere; likewise.
    void use(Hosts& hosts) { hosts_ = &hosts; }
    /// From now on policies are tried on what is asked; likewise. `kind_of`: a GPU's; empty where it is not known.
    void try_policies(loop::Loop& loop, schedule::Policy in_force, std::function<std::string(GpuId)> kind_of);

    /// Every route there is.
    static const std::vector<Route>& routes();
    /// Answered once, whatever the request holds.
    void handle(const http::Request& request, const http::Server::Answer& answer);
    /// From now on nothing is handed in or changed, only looked at and cancelled.
    void drain() { draining_ = true; }

private:
    static std::vector<Route> openai_routes();  // In openai_routes.cc.
    static std::vector<Route> page_routes();    // In page_routes.cc.
    static std::vector<Route> machine_routes();
    static std::vector<Route> run_routes();
    static std::vector<Route> host_routes();      // In hosts_api.cc.
    static std::vector<Route> pipeline_routes();  // In pipelines_api.cc.
    static std::vector<Route> member_routes();
    void admit(const http::Request& request, const http::Server::Answer& answer);
    http::Server::Answer recorded(const Matched& matched, const auth::Caller& caller, const http::Request& request,
                                  const http::Server::Answer& answer) const;
    void submit(const http::Request& request, const auth::Caller& caller, const http::Server::Answer& answer);
    void cancel(TaskId task, const http::Server::Answer& answer);
    http::Response list(const http::Request& request);
    nlohmann::ordered_json told(TaskId task, const TaskRecord& record) const;
    http::Response show(TaskId task);
    void show_when_durable(TaskId task, const http::Server::Answer& answer);
    http::Response explain(TaskId task);
    http::Response logs(TaskId task, const http::Request& request);
    http::Response gpus();
    bool holds(GpuId gpu, const std::string& model) const;
    nlohmann::ordered_json next_switch(GpuId gpu);
    bool is_spared(GpuId gpu) const;
    http::Response queue();
    http::Response queue_tasks(const http::Request& request);
    /// And how old it is.
    std::pair<const control::Forecast&, Duration> forecast();
    enum class ModelOrder : std::uint8_t { pin, unpin, unload };
    http::Response models() const;
    void load_model(const Call& call);
    void order_model(const http::Request& request, ModelOrder order, const http::Server::Answer& answer);
    http::Response dead(const http::Request& request);
    http::Response listed(const Result<std::vector<std::pair<TaskId, TaskRecord>>>& records) const;
    void change_level(TaskId task, const http::Request& request, const http::Server::Answer& answer);
    void move(TaskId task, const http::Request& request, const http::Server::Answer& answer);
    void requeue(TaskId task, const auth::Caller& caller, const http::Server::Answer& answer);
    void operate(std::uint64_t gpu, GpuDuty duty, const http::Server::Answer& answer);
    void operate_host(const std::string& name, GpuDuty duty, const http::Server::Answer& answer);
    http::Response pause(bool paused);
    http::Response ready() const;
    http::Response config() const;
    http::Response openapi() const;

    // In pipelines_api.cc.
    void with_pipeline(const Call& call, const std::function<void(pipelines::Served&)>& act);
    void tell_pipeline(const Call& call,
                       pipelines::Answer (pipelines::Served::*what)(const nlohmann::ordered_json&, Instant));
    void ask_pipeline(const Call& call, void (pipelines::Served::*what)(const nlohmann::ordered_json&, Instant,
                                                                        const std::function<void(pipelines::Answer)>&));
    void explain_route(const Call& call);
    http::Response remove_pipeline(const std::string& name);

    // In simulate_api.cc.
    struct Simulation;
    void simulate(const http::Request& request, const http::Server::Answer& answer);

    // In runs_api.cc.
    void add_run(const http::Request& request, const auth::Caller& caller, const http::Server::Answer& answer);
    http::Response show_run(std::uint64_t id) const;
    http::Response list_runs() const;
    http::Response cancel_run(std::uint64_t id) const;
    http::Response run_results(std::uint64_t id, const http::Request& request) const;
    http::Response run_timeline(std::uint64_t id, const http::Request& request) const;

    Engine& engine_;
    runs::Runs* runs_ = nullptr;
    pipelines::Pipelines* pipelines_ = nullptr;
    openai::Front* front_ = nullptr;
    Hosts* hosts_ = nullptr;
    std::shared_ptr<Simulation> simulation_;
    auth::Gate& gate_;
    ApiOptions options_;
    control::Forecast forecast_;
    std::optional<Instant> forecast_made_;
    bool forecast_idle_ = false;  ///< Whether nothing was to start.
    /// What was last said of the queue.
    struct QueueSeen {
        std::map<std::string, std::string> query;
        std::uint64_t groups = 0;
        Instant at;
        http::Response response;
    };
    std::optional<QueueSeen> queue_seen_;
    std::vector<GpuState> states_;  ///< By GPU; empty until they were looked at.
    bool draining_ = false;
};

}  // namespace sy::server
