// Service: everything that `serve` puts together, and how its parts reach each other. On the loop's thread alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/audit/log.h"
#include "service/auth/gate.h"
#include "service/device/verdict.h"
#include "service/http/server.h"
#include "service/loop/loop.h"
#include "service/openai/front.h"
#include "service/pipelines/pipelines.h"
#include "service/runs/runs.h"
#include "service/server/alerts.h"
#include "service/server/api.h"
#include "service/server/crew.h"
#include "service/server/engine.h"
#include "service/server/feed.h"
#include "service/server/gpu_watch.h"
#include "service/server/hosts.h"
#include "service/server/lines.h"
#include "service/server/measures.h"
#include "service/server/own_machine.h"
#include "service/server/past.h"
#include "service/server/pieces.h"
#include "service/server/reign.h"
#include "service/server/serve.h"
#include "service/server/timeline.h"
#include "service/server/wall_clock.h"

namespace sy::server {

class Service {
public:
    explicit Service(const ServeOptions& options)
        : options_(options), lines_(loop_, [this](const wire::ToServer& message) { engine_->hear(message); }) {}

    Result<void> run();

private:
    // In serve.cc: how it is put together.
    Result<void> live();
    Result<void> open_all();
    Result<void> read_past(store::Store& store);
    Result<void> open_engine(std::unique_ptr<store::Store> store);
    Result<void> listen();
    void open_doors();
    void open_hosts();
    Result<void> open_runs();
    Result<void> open_pipelines();
    Result<void> open_front();
    static void block_signals();

    // In service_life.cc: what it does while it lives.
    Engine::World world();
    Timeline::World timeline_world();
    std::string kind_of(GpuId gpu) const;
    bool workers_have_come() const;
    void look_again();
    void leave_if_unused();
    void forget_ended_at(Instant when);
    void watch_gpus();
    void look_at(GpuId first, std::vector<GpuState> states);
    void forget(const GpuSpan& gpus);
    void note(audit::Record record);
    void write_audit();
    http::Response metrics_page() const;
    void watch_signals();
    Reign::News reign_news();
    Instant heard(GpuId gpu) const;
    void step_down(const std::string& why);
    void stand_still(const std::string& why);
    void go_on();
    void stop_when_idle();

    const ServeOptions& options_;
    control::Settings settings_;  ///< In force.
    loop::Loop loop_;
    Feed feed_{loop_, wall_now()};
    Lines lines_;
    Pieces pieces_;
    std::unique_ptr<store::Store> store_;  ///< Until the engine has it.
    std::optional<Past> past_;             ///< Likewise.
    std::unique_ptr<store::Documents> documents_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Reign> reign_;  ///< Where the store is shared. Ends after what the engine writes last.
    std::unique_ptr<Engine> engine_;
    std::optional<Measures> measures_;
    std::optional<Timeline> timeline_;
    std::optional<Alerts> alerts_;
    std::optional<audit::Log> audit_;
    bool audit_trouble_ = false;  ///< Said once.
    std::optional<auth::Gate> gate_;
    std::optional<Api> api_;
    std::optional<tls::Terms> tls_;  ///< For TCP.
    std::optional<http::Server> http_;
    std::optional<runs::Runs> runs_;
    std::optional<pipelines::Pipelines> pipelines_;
    std::optional<openai::Front> front_;
    OwnMachine own_;
    std::optional<Hosts> hosts_;
    std::optional<Crew> crew_;
    device::Verdicts verdicts_{options_.gpu_probation};
    std::optional<GpuWatch> gpu_watch_;
    std::optional<loop::Loop::Timer> wake_;
    std::optional<Error> trouble_;
    int signals_ = -1;
    bool draining_ = false;
    Instant last_use_ = loop::Loop::now();
    Instant begun_ = loop::Loop::now();
};

}  // namespace sy::server
