#include "service/server/standby.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "service/http/server.h"
#include "service/server/json_answer.h"
#include "service/server/stop_signals.h"

namespace sy::server {

namespace {
using Json = nlohmann::ordered_json;
}

Result<bool> Standby::wait() {
    try_again();
    if (trouble_) return tl::unexpected(*trouble_);
    if (leads_) return true;
    follower_.start();
    http::Server door(
        loop_, http::Limits{}, http::Patience{},
        [this](const http::Request& request, const http::Server::Answer& reply) { reply(answer(request)); });
    if (!options_.address.empty())
        if (const auto listening = door.listen_tcp(options_.address, options_.port, options_.tls); !listening)
            options_.say(fmt::format("until it leads it answers nobody: {}", listening.error().message));
    const sigset_t signals = stop_signals();
    const int told = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    loop_.watch(told, EPOLLIN, [this](std::uint32_t) { loop_.stop(); });
    loop_.between([&door] { door.flush(); });
    loop_.run();
    loop_.between([] {});
    loop_.forget(told);
    ::close(told);
    if (trouble_) return tl::unexpected(*trouble_);
    return leads_;
}

void Standby::try_again() {
    const auto tried = leadership_.take({seen_, follower_.seen()}, options_.mark.read());
    if (!tried && said_.empty() && tried.error().fault != Fault::unreachable) {
        trouble_ = tried.error();  // at the start it is a mistake; later it may be mended
        return loop_.stop();
    }
    leads_ = tried && *tried == store::Try::taken;
    if (leads_) return loop_.stop();
    if (tried) {
        say_who_leads(*tried);
        give_up_what_is_lost(*tried);
    }
    constexpr Duration kOften = 50ms;
    constexpr Duration kSeldom = 500ms;
    loop_.at(loop::Loop::now() + std::clamp<Duration>(options_.lease / 10, kOften, kSeldom), [this] { try_again(); });
}

/// Its leader had a lease to come back and give Redis again what it lacks.
void Standby::give_up_what_is_lost(store::Try how) {
    if (how != store::Try::behind) return behind_since_.reset();
    const Instant now = loop::Loop::now();
    if (!behind_since_) behind_since_ = now;
    if (now - *behind_since_ < options_.lease) return;
    options_.say(
        fmt::format("Redis has lost what came after its last write to disk, and no leader came back who has "
                    "it: this server, which had seen {} groups, goes on with what Redis has",
                    follower_.seen()));
    follower_.begin_anew();
    seen_ = store::Term{};
    behind_since_.reset();
}

/// Once for each leader.
void Standby::say_who_leads(store::Try how) {
    const auto leader = leadership_.who_leads();
    leader_ = leader && *leader ? (*leader)->address : "";
    if (leader && *leader) seen_ = (*leader)->term;
    std::string words = leader_.empty() ? "standing by: another server leads"
                                        : fmt::format("standing by: the server at {} leads", leader_);
    if (how == store::Try::behind)
        words = "standing by: Redis has lost what this server had seen; its leader may have it";
    if (how == store::Try::early) words = "standing by: Redis has just come back; its leader gets one lease to return";
    if (how == store::Try::gap)
        words = fmt::format(
            "not leading: Redis lacks what this server wrote there, up to group {}. Another server that led may have "
            "it in "
            "memory; otherwise bring back the newest files of Redis. Where it is lost for good, remove {}, and this "
            "server "
            "goes on with what Redis has",
            options_.mark.read().last, options_.mark.path());
    if (words == said_) return;
    said_ = words;
    options_.say(words);
}

http::Response Standby::answer(const http::Request& request) const {
    if (request.path == "/healthz") return {200, "ok\n", "text/plain", {}};
    http::Response response = json_response(503, Json{{"error", "this server stands by"},
                                                      {"state", "standby"},
                                                      {"leader", leader_.empty() ? Json(nullptr) : Json(leader_)}});
    if (request.path == "/readyz" || leader_.empty()) return response;
    response.status = 307;
    response.headers.emplace_back("Location", leader_ + request.target);
    return response;
}

}  // namespace sy::server
