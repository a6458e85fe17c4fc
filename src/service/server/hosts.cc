#include "service/server/hosts.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/loop/loop.h"
#include "service/server/host_line.h"
#include "service/server/json_answer.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

/// A host that does not take what is said to it; the workers hear it again when they next beat.
constexpr std::size_t kMostUnsent = std::size_t{256} << 20U;
/// Between two looks whether the token of a line still opens it.
constexpr Duration kBetweenLooks = 2s;
constexpr const char* kIdentities = "hosts.json";

http::Response refusal(unsigned status, const std::string& message) {
    return json_response(status, Json{{"error", message}});
}

std::string text_of(const GpuSpan& gpus) {
    const std::uint32_t first = gpus.first.value();
    return gpus.count == 1 ? fmt::format("gpu{}", first)
                           : fmt::format("{} GPUs, gpu{} to gpu{}", gpus.count, first, first + gpus.count - 1);
}

GpuState state_of(const wire::GpuSeen& seen) {
    GpuState state;
    state.total = seen.total;
    state.ours = seen.ours;
    state.reading.memory_used = seen.used;
    state.reading.utilization_percent = seen.utilization_percent;
    state.reading.temperature_c = seen.temperature_c;
    state.reading.power_w = seen.power_w;
    state.reading.error = seen.error;
    return state;
}

}  // namespace

/// What a host says of itself.
struct Hosts::Arrival {
    std::string name;
    std::string address;
    std::string version;
    std::string identity;
    std::vector<GpuSpec> gpus;
    std::vector<Card> cards;

    static Result<Arrival> read(const std::string& name, const http::Request& request) {
        if (!wire::is_host_name(name)) return fail(Fault::invalid_input, wire::why_no_host_name(name));
        if (request.header("upgrade") != wire::kHostProtocol)
            return fail(Fault::invalid_input, fmt::format("this is for hosts: Upgrade: {}", wire::kHostProtocol));
        Arrival arrival{.name = name, .address = request.peer.address};
        try {
            const Json body = Json::parse(request.body);
            arrival.version = body.at("version");
            if (const std::uint32_t format = body.at("format"); format != wire::kHostFormat)
                return fail(Fault::invalid_input,
                            fmt::format("the host speaks format {} (version {}), this server {}: use the same version "
                                        "on both",
                                        format, arrival.version, wire::kHostFormat));
            arrival.identity = body.at("identity");
            for (const Json& gpu : body.at("gpus")) {
                arrival.gpus.push_back({Bytes(gpu.at("memory_bytes").get<std::uint64_t>())});
                arrival.cards.push_back({gpu.at("kind"), gpu.at("simulated")});
            }
        } catch (const Json::exception& wrong) {
            return fail(Fault::invalid_input, fmt::format("this is no host: {}", wrong.what()));
        }
        return arrival;
    }
};

Hosts::Hosts(World world)
    : world_(std::move(world)), logs_(world_.log_folder, world_.most_log_bytes), opened_(loop::Loop::now()) {
    const control::Core& core = world_.engine.core();
    const auto& nodes = core.ledger().nodes();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (core.ledger().is_gone(nodes[i].first)) continue;
        const std::string name = world_.engine.names().text_of(core.name_of(NodeId(i)));
        if (wire::is_host_name(name)) known_as(name, nodes[i]);
    }
    const auto kept = world_.documents.read(kIdentities);
    const Json identities = kept && *kept ? Json::parse(**kept, nullptr, false) : Json();
    if (identities.is_object())
        for (const auto& [name, identity] : identities.items())
            if (identity.is_string()) identities_[name] = identity;
}

Hosts::~Hosts() {
    for (auto& [first, host] : hosts_)
        if (host.line) host.line->over = true;
}

Hosts::Host& Hosts::known_as(const std::string& name, const GpuSpan& gpus) {
    by_name_[name] = gpus.first;
    Host& host = hosts_[gpus.first];
    host.name = name;
    host.gpus = gpus;
    return host;
}

const Hosts::Host* Hosts::find(GpuId gpu) const {
    auto after = hosts_.upper_bound(gpu);
    if (after == hosts_.begin()) return nullptr;
    const Host& host = std::prev(after)->second;
    return host.gpus.contains(gpu) ? &host : nullptr;
}

std::string Hosts::name_of(GpuId gpu) const {
    const Host* host = find(gpu);
    return host == nullptr ? "" : host->name;
}

std::string Hosts::kind_of(GpuId gpu) const {
    const Host* host = find(gpu);
    return host == nullptr || host->cards.empty() ? "" : host->cards[gpu.value() - host->gpus.first.value()].kind;
}

bool Hosts::is_simulated(GpuId gpu) const {
    const Host* host = find(gpu);
    return host != nullptr && !host->cards.empty() && host->cards[gpu.value() - host->gpus.first.value()].simulated;
}

std::string Hosts::kind_of(const std::vector<Card>& cards) {
    const bool alike = std::all_of(cards.begin(), cards.end(), [&](const Card& c) { return c.kind == cards[0].kind; });
    return alike && !cards.empty() ? cards[0].kind : "";
}

std::optional<GpuSpan> Hosts::gpus_of(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(hosts_.at(found->second).gpus);
}

// ---- coming and going ---------------------------------------------------------------------------------------------

void Hosts::join(const std::string& name, const http::Request& request, const http::Server::Answer& answer) {
    auto arrival = Arrival::read(name, request);
    if (!arrival) return answer(refusal(422, arrival.error().message));
    if (going_.contains(name)) return answer(refusal(503, fmt::format("host '{}' is just being forgotten", name)));
    if (const auto refused = another_has_its_name(*arrival)) return answer(*refused);
    if (const auto kept = keep_identity(name, arrival->identity); !kept)
        return answer(refusal(503, kept.error().message));
    const auto line = std::make_shared<Line>();
    line->request = request;
    line->request.body.clear();
    line->request.when_gone = {};
    request.when_gone([this, line] { lost(*line, ""); });
    auto gpus = arrival->gpus;
    world_.engine.add_host(
        name, std::move(gpus), [this, line, arrival = std::move(*arrival), answer](const Result<GpuSpan>& span) {
            if (!span) {
                if (!by_name_.contains(arrival.name)) static_cast<void>(keep_identity(arrival.name, ""));
                return answer(refusal(span.error().fault == Fault::invalid_input ? 409 : 503, span.error().message));
            }
            known_as(arrival.name, *span);  // also where it has hung up by now
            http::Response response{101, "", "", {{"Upgrade", wire::kHostProtocol}}};
            response.note = fmt::format("host {}", arrival.name);
            response.heard = [this, line](std::string_view bytes) { hear(line, bytes); };
            response.opened = [this, line, arrival, span = *span](std::shared_ptr<http::Stream> stream) {
                open(arrival, span, line, std::move(stream));
            };
            answer(response);
        });
}

/// Two machines under one name would throw each other off, and what runs on the one be given to the other.
std::optional<http::Response> Hosts::another_has_its_name(const Arrival& arrival) const {
    const auto known = identities_.find(arrival.name);
    const auto place = by_name_.find(arrival.name);
    if (known == identities_.end() || known->second == arrival.identity || place == by_name_.end()) return std::nullopt;
    const Host& host = hosts_.at(place->second);
    // Who is here speaks at every heartbeat. A machine that lost its power comes back with another identity.
    const bool is_silent = loop::Loop::now() - host.heard > 2 * world_.timing.heartbeat_interval;
    if (host.line && !is_silent)
        return refusal(409, fmt::format("another machine is here under the name '{}'{}: give this one a name of its "
                                        "own",
                                        host.name, host.address.empty() ? "" : ", from " + host.address));
    const auto& ledger = world_.engine.core().ledger();
    for (GpuId gpu = host.gpus.first; gpu < host.gpus.end(); gpu = gpu.next())
        if (host.line || ledger.is_present(gpu) || ledger.holder(gpu))
            return refusal(503, fmt::format("another machine was here under the name '{}', and what it runs may go on "
                                            "for up to {} s",
                                            host.name, to_seconds(world_.timing.heartbeat_timeout)));
    return std::nullopt;
}

/// Written before it is let in, so that the next server knows it too. An empty one is forgotten.
Result<void> Hosts::keep_identity(const std::string& name, const std::string& identity) {
    const auto known = identities_.find(name);
    if (known == identities_.end() ? identity.empty() : known->second == identity) return {};
    auto changed = identities_;
    if (identity.empty()) {
        changed.erase(name);
    } else {
        changed[name] = identity;
    }
    if (auto written = world_.documents.write(kIdentities, Json(changed).dump()); !written) return written;
    identities_ = std::move(changed);
    return {};
}

void Hosts::open(const Arrival& arrival, const GpuSpan& gpus, const std::shared_ptr<Line>& line,
                 std::shared_ptr<http::Stream> stream) {
    if (line->over) return;
    if (going_.contains(arrival.name)) {  // it is to come again, as somebody new
        line->stream = std::move(stream);
        line->over = true;
        to_close_.push_back(line);
        return;
    }
    Host& host = known_as(arrival.name, gpus);
    if (host.line) close_later(host.line, "it has come on another line");
    line->host = gpus.first;
    line->stream = std::move(stream);
    host.line = line;
    host.cards = arrival.cards;
    host.address = arrival.address;
    host.version = arrival.version;
    host.heard = loop::Loop::now();
    world_.engine.tell_kind(gpus.first, kind_of(host.cards));
    world_.engine.tell_line(gpus.first, GpuDuty::in_service);
    say(*line, wire::HostTerms{.gpus = gpus,
                               .heartbeat_interval = world_.timing.heartbeat_interval,
                               .heartbeat_timeout = world_.timing.heartbeat_timeout,
                               .stop_grace = world_.timing.stop_grace,
                               .most_log_bytes = world_.most_log_bytes});
    world_.say(fmt::format("host {} is here with {}", host.name, text_of(gpus)));
}

/// What ran there may go on without a line. One that said goodbye has nothing that runs.
void Hosts::lost(Line& line, const std::string& why) {
    if (std::exchange(line.over, true)) return;
    if (line.leaving) --leaving_;
    const auto found = hosts_.find(line.host);
    if (found == hosts_.end() || found->second.line.get() != &line) return;
    Host& host = found->second;
    host.line.reset();
    if (!line.may_leave) {
        world_.engine.tell_line(host.gpus.first, GpuDuty::cut_off);
        return world_.say(fmt::format("the line to host {} is cut{}", host.name, why));
    }
    for (GpuId gpu = host.gpus.first; gpu < host.gpus.end(); gpu = gpu.next()) world_.engine.worker_gone(gpu);
    world_.say(fmt::format("host {} has left", host.name));
}

/// Not at once: whoever closes it may be in the midst of reading it.
void Hosts::close_later(const std::shared_ptr<Line>& line, const std::string& why) {
    if (line->over) return;
    to_close_.push_back(line);
    lost(*line, ": " + why);
}

void Hosts::forget(const std::string& name, const http::Server::Answer& answer) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return answer(refusal(404, fmt::format("there is no host '{}'", name)));
    if (hosts_.at(found->second).line)
        return answer(refusal(409, fmt::format("host '{}' is here: end its worker first", name)));
    if (!going_.insert(name).second)
        return answer(refusal(503, fmt::format("host '{}' is just being forgotten", name)));
    world_.engine.forget_host(name, [this, name, answer](const Result<void>& done) {
        going_.erase(name);
        if (!done)
            return answer(
                refusal(409, fmt::format("host '{}' cannot be forgotten yet: {}; its lease ends {} s after it "
                                         "was last heard of",
                                         name, done.error().message, to_seconds(world_.timing.heartbeat_timeout))));
        drop(name);
        http::Response response = json_response(200, Json{{"name", name}, {"forgotten", true}});
        response.note = "host " + name;
        answer(response);
    });
}

void Hosts::drop(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return;
    world_.forgotten(hosts_.at(found->second).gpus);
    hosts_.erase(found->second);
    by_name_.erase(found);
    if (const auto written = keep_identity(name, ""); !written) world_.say(written.error().message);
    world_.say(fmt::format("host {} is forgotten", name));
}

void Hosts::advance() {
    if (loop::Loop::now() - looked_ > kBetweenLooks) {
        look_who_may_still();
        look_who_is_away();
        look_who_is_of_another_kind();
        look_who_stays_away();
    }
    if (leaving_ == 0) return;
    for (auto& [first, host] : hosts_) {
        if (!host.line || !host.line->leaving || host.line->may_leave || !is_idle(host)) continue;
        host.line->may_leave = true;
        say(*host.line, wire::MayLeave{});
    }
}

bool Hosts::is_idle(const Host& host) const {
    const auto& ledger = world_.engine.core().ledger();
    for (GpuId gpu = host.gpus.first; gpu < host.gpus.end(); gpu = gpu.next())
        if (ledger.holder(gpu) || ledger.condition(gpu).duty == GpuDuty::in_service) return false;
    return true;
}

void Hosts::flush() {
    for (auto& [first, host] : hosts_) {
        if (!host.line || host.line->unsent.empty()) continue;
        if (host.line->stream->unsent() > kMostUnsent) {
            close_later(host.line, "it takes nothing");
            continue;
        }
        const std::shared_ptr<Line> line = host.line;
        line->stream->push(std::exchange(line->unsent, {}));
    }
    for (const auto& line : std::exchange(to_close_, {}))
        if (line->stream) line->stream->close();
}

// ---- what is said -------------------------------------------------------------------------------------------------

void Hosts::say(Line& line, const wire::ToHost& message) {
    wire::add_frame(line.unsent, message);
}

void Hosts::send(GpuId gpu, wire::ToWorker message) {
    const Host* host = find(gpu);
    if (host != nullptr && host->line) say(*host->line, wire::ForWorker{gpu, std::move(message)});
}

void Hosts::hear(const std::shared_ptr<Line>& line, std::string_view bytes) {
    if (line->over) return;
    line->frames.add(bytes);
    Host& host = hosts_.at(line->host);
    host.heard = loop::Loop::now();
    while (const auto message = line->frames.next<wire::FromHost>()) {
        const bool proper = std::visit([&](const auto& word) { return hear(host, word); }, *message);
        if (!proper) return close_later(line, "it speaks of what is not its own");
    }
    if (line->frames.is_broken()) close_later(line, "what it says cannot be understood");
}

bool Hosts::hear(Host& host, const wire::FromWorker& from) {
    const GpuId gpu = wire::speaker_of(from.message);
    if (!host.gpus.contains(gpu)) return false;
    world_.engine.hear(from.message);
    return true;
}

bool Hosts::hear(Host& host, const wire::WorkerEnded& ended) {
    if (!host.gpus.contains(ended.gpu)) return false;
    world_.engine.worker_gone(ended.gpu);
    return true;
}

/// Of a task that nobody remembers nothing is kept, nor of one that ran there before the host was forgotten: its
/// numbers may be another's by now.
bool Hosts::hear(Host& host, const wire::LogBytes& part) {
    std::uint64_t size = kNoMoreOfIt;
    const auto record = world_.engine.record(part.log.task);
    if (!record) return true;  // nobody can say whose it is: unanswered, it comes again
    if (*record) {
        const auto& attempts = (*record)->attempts;
        if (part.log.attempt == 0 || part.log.attempt > attempts.size()) return false;
        if (host.gpus.contains(attempts[part.log.attempt - 1].gpus.first)) size = logs_.take(part);
    }
    say(*host.line, wire::LogKept{part.log, size});
    return true;
}

bool Hosts::hear(Host& host, const wire::GpusSeen& seen) {
    if (seen.gpus.size() != host.gpus.count) return false;
    std::vector<GpuState> states;
    for (const wire::GpuSeen& gpu : seen.gpus) states.push_back(state_of(gpu));
    world_.seen(host.gpus.first, std::move(states));
    return true;
}

bool Hosts::hear(Host& host, const wire::Leaving&) {
    if (std::exchange(host.line->leaving, true)) return true;
    ++leaving_;
    world_.say(fmt::format("host {} wants to leave: it gets nothing new", host.name));
    world_.engine.tell_line(host.gpus.first, GpuDuty::leaving);
    return true;
}

Json Hosts::json() const {
    Json list = Json::array();
    const auto& ledger = world_.engine.core().ledger();
    for (const auto& [first, host] : hosts_) {
        std::uint32_t busy = 0;
        bool drained = true;
        for (GpuId gpu = host.gpus.first; gpu < host.gpus.end(); gpu = gpu.next()) {
            busy += ledger.holder(gpu) ? 1U : 0U;
            const GpuDuty duty = ledger.condition(gpu).duty;
            const bool goes = host.line && duty == GpuDuty::leaving;
            drained = drained && (goes || duty == GpuDuty::draining || duty == GpuDuty::reserved);
        }
        Json json{
            {"name", host.name},
            {"state", host.line ? "here" : "away"},
            {"first_gpu", host.gpus.first.value()},
            {"gpu_count", host.gpus.count},
            {"busy", busy},
            {"draining", drained},
            {"last_heard_s", host.heard == kStart ? Json(nullptr) : Json(to_seconds(loop::Loop::now() - host.heard))}};
        if (!host.cards.empty()) {
            json["kind"] = host.cards.front().kind;
            json["simulated"] = host.cards.front().simulated;
            json["version"] = host.version;
        }
        if (!host.address.empty()) json["address"] = host.address;
        list.push_back(std::move(json));
    }
    return list;
}

}  // namespace sy::server
