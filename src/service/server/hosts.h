// Hosts: the machines elsewhere whose GPUs this service gives work to, and the lines to them.
//
// A host comes by a request that becomes a line (HTTP's Upgrade), under a name that is its own for good: when it comes
// back, after minutes or under another server, its GPUs have their old numbers. On the line go the words of its
// workers, what its drivers say, and what its tasks write. It is trusted with its own GPUs and with nothing else.
//
// A line that breaks ends nothing: workers go on for as long as their leases hold, and the brain waits for them as it
// would for anybody who is silent. On the loop's thread alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/model/timing.h"
#include "service/http/server.h"
#include "service/server/engine.h"
#include "service/server/gpu_watch.h"
#include "service/server/log_intake.h"
#include "service/store/documents.h"
#include "service/wire/host_messages.h"

namespace sy::server {

class Hosts {
public:
    struct World {
        Engine& engine;
        Timing timing;
        std::uint64_t most_log_bytes = 0;
        std::string log_folder;
        store::Documents& documents;                                   ///< Who has which name is kept there.
        std::function<void(GpuId first, std::vector<GpuState>)> seen;  ///< How its GPUs are.
        std::function<void(const GpuSpan&)> forgotten;                 ///< Another's may have their numbers next.
        std::function<bool(const http::Request&)> may_still;           ///< Whether who asked so would be let in now.
        std::function<void(const std::string&)> say;
        std::optional<Duration> patience;  ///< Who is away for longer is forgotten. Nothing: nobody is.
    };

    explicit Hosts(World world);
    ~Hosts();
    Hosts(const Hosts&) = delete;
    Hosts& operator=(const Hosts&) = delete;

    /// A host wants to come, or to come back. Answered once that is durable, with a line or with why not.
    void join(const std::string& name, const http::Request& request, const http::Server::Answer& answer);
    /// One that is away and will not come back. Its GPUs are no longer there, and their numbers are another's.
    void forget(const std::string& name, const http::Server::Answer& answer);
    /// What is said to a GPU of none of them, or of one that has no line, is dropped.
    void send(GpuId gpu, wire::ToWorker message);
    bool has(GpuId gpu) const { return find(gpu) != nullptr; }
    /// Whose it is; empty: of no host.
    std::string name_of(GpuId gpu) const;
    /// Short: "h100"; empty where nobody has said.
    std::string kind_of(GpuId gpu) const;
    bool is_simulated(GpuId gpu) const;
    /// Nothing where there is no such host.
    std::optional<GpuSpan> gpus_of(const std::string& name) const;

    /// Before every turn of the brain: who wanted to go may, once nothing runs there.
    void advance();
    /// At the end of every turn.
    void flush();

    nlohmann::ordered_json json() const;

private:
    struct Line;
    /// What its GPUs are, as it said itself.
    struct Card {
        std::string kind;
        bool simulated = false;
    };
    struct Host {
        std::string name;
        GpuSpan gpus;
        std::vector<Card> cards;  ///< Empty: it was not here in this life of the server.
        std::string address;
        std::string version;
        std::shared_ptr<Line> line;  ///< None: it is away.
        Instant heard = kStart;      ///< When it last said something; kStart: not in this life.
    };
    struct Arrival;

    /// Why it cannot be who it says it is; nothing where it can.
    std::optional<http::Response> another_has_its_name(const Arrival& arrival) const;
    Result<void> keep_identity(const std::string& name, const std::string& identity);
    const Host* find(GpuId gpu) const;
    Host& known_as(const std::string& name, const GpuSpan& gpus);
    void open(const Arrival& arrival, const GpuSpan& gpus, const std::shared_ptr<Line>& line,
              std::shared_ptr<http::Stream> stream);
    void lost(Line& line, const std::string& why);
    void close_later(const std::shared_ptr<Line>& line, const std::string& why);
    void look_who_may_still();
    void look_who_is_away();
    void look_who_is_of_another_kind();
    bool is_kept_by_an_operator(const Host& host) const;
    void look_who_stays_away();
    /// The one kind of all its GPUs; empty where they differ.
    static std::string kind_of(const std::vector<Card>& cards);
    void drop(const std::string& name);

    void hear(const std::shared_ptr<Line>& line, std::string_view bytes);
    bool hear(Host& host, const wire::FromWorker& from);
    bool hear(Host& host, const wire::WorkerEnded& ended);
    bool hear(Host& host, const wire::LogBytes& part);
    bool hear(Host& host, const wire::GpusSeen& seen);
    bool hear(Host& host, const wire::Leaving&);
    static void say(Line& line, const wire::ToHost& message);
    bool is_idle(const Host& host) const;

    World world_;
    LogIntake logs_;
    std::map<GpuId, Host> hosts_;  ///< By the first of their GPUs.
    std::map<std::string, GpuId> by_name_;
    std::set<std::string> going_;                    ///< Those that the brain was told to forget and has not yet.
    std::map<std::string, std::string> identities_;  ///< By name, of all that ever came and were not forgotten.
    std::vector<std::shared_ptr<Line>> to_close_;
    std::size_t leaving_ = 0;
    Instant looked_ = kStart;
    Instant opened_;
};

}  // namespace sy::server
