// What can be asked about hosts, and how one comes.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "service/server/api.h"
#include "service/server/hosts.h"
#include "service/server/json_answer.h"

namespace sy::server {

using Json = nlohmann::ordered_json;

std::vector<Route> Api::host_routes() {
    using auth::Role;
    return {
        {"GET", "/api/v1/hosts", Role::read, "The machines elsewhere that run tasks for this service",
         [](Api& api, const Call& call) {
             call.answer(json_response(200, Json{{"hosts", api.hosts_->json()}}));
         }},
        {"POST",
         "/api/v1/hosts/{name}/line",
         Role::work,
         "A host comes, or comes back (Upgrade: switchyard-host)",
         [](Api& api, const Call& call) { api.hosts_->join(call.name, call.request, call.answer); },
         {.while_draining = true}},
        {"POST", "/api/v1/hosts/{name}/drain", Role::operate, "Let a host's tasks end and give it no others",
         [](Api& api, const Call& call) { api.operate_host(call.name, GpuDuty::draining, call.answer); }},
        {"DELETE", "/api/v1/hosts/{name}", Role::operate, "Forget a host that is away and will not come back",
         [](Api& api, const Call& call) { api.hosts_->forget(call.name, call.answer); }},
        {"POST", "/api/v1/hosts/{name}/resume", Role::operate, "Give a host work again",
         [](Api& api, const Call& call) { api.operate_host(call.name, GpuDuty::in_service, call.answer); }},
    };
}

void Api::operate_host(const std::string& name, GpuDuty duty, const http::Server::Answer& answer) {
    const auto gpus = hosts_->gpus_of(name);
    if (!gpus) return answer(json_response(404, Json{{"error", fmt::format("there is no host '{}'", name)}}));
    const auto missing = std::make_shared<GpuCount>(gpus->count);
    for (GpuId gpu = gpus->first; gpu < gpus->end(); gpu = gpu.next())
        engine_.operate(gpu, duty, [answer, name, duty, missing](const Result<void>&) {
            if (--*missing > 0) return;
            auto response = json_response(200, Json{{"name", name}, {"duty", name_of(duty)}});
            response.note = "host " + name;
            answer(response);
        });
}

}  // namespace sy::server
