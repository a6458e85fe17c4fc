// The table of routes: everything that can be asked of the service, and who may. Those under /v1 are in
// openai_routes.cc.
#include "service/server/api.h"

namespace sy::server {

using auth::Role;

std::vector<Route> Api::run_routes() {
    return {
        {"GET", "/api/v1/runs", Role::read, "The batches that were handed in as a whole",
         [](Api& api, const Call& call) { call.answer(api.list_runs()); }},
        {"POST", "/api/v1/runs", Role::submit, "Plan a batch of workflows and run it",
         [](Api& api, const Call& call) { api.add_run(call.request, call.caller, call.answer); }},
        {"GET", "/api/v1/runs/{id}", Role::read, "How a run stands",
         [](Api& api, const Call& call) { call.answer(api.show_run(call.task.value())); }},
        {"DELETE", "/api/v1/runs/{id}", Role::submit, "Call a run off",
         [](Api& api, const Call& call) { call.answer(api.cancel_run(call.task.value())); }},
        {"GET", "/api/v1/runs/{id}/results", Role::read, "What came out of its requests, a JSON document a line",
         [](Api& api, const Call& call) { call.answer(api.run_results(call.task.value(), call.request)); }},
        {"GET", "/api/v1/runs/{id}/timeline", Role::read, "What was planned and what happened, job by job",
         [](Api& api, const Call& call) { call.answer(api.run_timeline(call.task.value(), call.request)); }},
    };
}

std::vector<Route> Api::machine_routes() {
    return {
        {"POST", "/api/v1/gpus/{id}/drain", Role::operate, "Let a GPU's task end and give it no other",
         [](Api& api, const Call& call) { api.operate(call.task.value(), GpuDuty::draining, call.answer); }},
        {"POST", "/api/v1/gpus/{id}/reserve", Role::operate, "Keep a GPU from tasks",
         [](Api& api, const Call& call) { api.operate(call.task.value(), GpuDuty::reserved, call.answer); }},
        {"POST", "/api/v1/gpus/{id}/resume", Role::operate, "Give a GPU work again",
         [](Api& api, const Call& call) { api.operate(call.task.value(), GpuDuty::in_service, call.answer); }},
        {"GET", "/api/v1/gpus", Role::read, "What each GPU does",
         [](Api& api, const Call& call) { call.answer(api.gpus()); }},
        {"GET", "/api/v1/models", Role::read, "The models, and where they are loaded",
         [](Api& api, const Call& call) { call.answer(api.models()); }},
        {"POST", "/api/v1/models/pin", Role::operate, "Keep a model loaded where it is",
         [](Api& api, const Call& call) { api.order_model(call.request, ModelOrder::pin, call.answer); }},
        {"POST", "/api/v1/models/unpin", Role::operate, "Let a model be unloaded again",
         [](Api& api, const Call& call) { api.order_model(call.request, ModelOrder::unpin, call.answer); }},
        {"POST", "/api/v1/models/unload", Role::operate, "Unload a model where nobody uses it",
         [](Api& api, const Call& call) { api.order_model(call.request, ModelOrder::unload, call.answer); }},
        {"POST", "/api/v1/models/load", Role::operate, "Load a model before it is asked for",
         [](Api& api, const Call& call) { api.load_model(call); }},
        {"GET", "/api/v1/queue/tasks", Role::read, "Who runs, stands in line and is held back, and why",
         [](Api& api, const Call& call) { call.answer(api.queue_tasks(call.request)); }},
        {"GET", "/api/v1/queue", Role::read, "How many wait and run",
         [](Api& api, const Call& call) { call.answer(api.queue()); }},
        {"POST", "/api/v1/queue/pause", Role::operate, "Start nothing more",
         [](Api& api, const Call& call) { call.answer(api.pause(true)); }},
        {"POST", "/api/v1/queue/resume", Role::operate, "Go on starting tasks",
         [](Api& api, const Call& call) { call.answer(api.pause(false)); }},
    };
}

const std::vector<Route>& Api::routes() {
    static const std::vector<Route> kOwn{
        {"GET", "/healthz", std::nullopt, "Whether the process lives",
         [](Api&, const Call& call) {
             call.answer({200, "ok\n", "text/plain", {}});
         }},
        {"GET", "/readyz", std::nullopt, "Whether it takes work",
         [](Api& api, const Call& call) { call.answer(api.ready()); }},
        {"GET", "/api/v1/tasks", Role::read, "List tasks, the latest first",
         [](Api& api, const Call& call) { call.answer(api.list(call.request)); }},
        {"POST", "/api/v1/tasks", Role::submit, "Hand in one task, or many",
         [](Api& api, const Call& call) { api.submit(call.request, call.caller, call.answer); }},
        {"GET", "/api/v1/tasks/{id}", Role::read, "Everything known of a task",
         [](Api& api, const Call& call) { api.show_when_durable(call.task, call.answer); }},
        {"DELETE", "/api/v1/tasks/{id}", Role::submit, "Cancel a task",
         [](Api& api, const Call& call) { api.cancel(call.task, call.answer); }},
        {"GET", "/api/v1/tasks/{id}/explain", Role::read, "Why a task waits",
         [](Api& api, const Call& call) { call.answer(api.explain(call.task)); }},
        {"GET", "/api/v1/tasks/{id}/logs", Role::read, "What a task wrote",
         [](Api& api, const Call& call) { call.answer(api.logs(call.task, call.request)); }},
        {"POST", "/api/v1/tasks/{id}/requeue", Role::submit, "Do a task's work once more, as a new task",
         [](Api& api, const Call& call) { api.requeue(call.task, call.caller, call.answer); }},
        {"POST", "/api/v1/tasks/{id}/priority", Role::operate, "Make a task matter more, or less",
         [](Api& api, const Call& call) { api.change_level(call.task, call.request, call.answer); }},
        {"POST", "/api/v1/tasks/{id}/move", Role::operate,
         "Put a task elsewhere among those of its level, or let it go to any GPU",
         [](Api& api, const Call& call) { api.move(call.task, call.request, call.answer); }},
        {"GET", "/api/v1/dead", Role::read, "Tasks that ended badly and were not tried once more",
         [](Api& api, const Call& call) { call.answer(api.dead(call.request)); }},
        {"GET", "/api/v1/events", Role::read, "What happens, as a stream of events",
         [](Api& api, const Call& call) { call.answer(api.options_.events(call.request)); }},
        {"GET", "/api/v1/timeline", Role::read, "What ran on each GPU lately, attempt by attempt",
         [](Api& api, const Call& call) { call.answer(api.options_.timeline(call.request)); }},
        {"GET", "/api/v1/overview", Role::read, "How everything stands at this moment",
         [](Api& api, const Call& call) { call.answer(api.options_.overview()); }},
        {"POST", "/api/v1/simulate", Role::read, "Try other orders on a trace, or on what waits and runs now",
         [](Api& api, const Call& call) { api.simulate(call.request, call.answer); },
         RouteHabits{.is_recorded = false}},
        {"GET", "/metrics", Role::read, "Figures for Prometheus",
         [](Api& api, const Call& call) { call.answer(api.options_.metrics()); }},
        {"GET", "/api/v1/config", Role::operate, "The settings in force, and where each comes from",
         [](Api& api, const Call& call) { call.answer(api.config()); }},
        {"GET", "/openapi.json", Role::read, "This list, for programs",
         [](Api& api, const Call& call) { call.answer(api.openapi()); }},
    };
    static const std::vector<Route> kRoutes = [] {
        std::vector<Route> routes = kOwn;
        for (const auto& more : {machine_routes(), host_routes(), run_routes(), pipeline_routes(), member_routes(),
                                 openai_routes(), page_routes()})
            routes.insert(routes.end(), more.begin(), more.end());
        return routes;
    }();
    return kRoutes;
}

}  // namespace sy::server
