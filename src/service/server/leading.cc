#include "service/server/leading.h"

#include <csignal>
#include <ctime>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "service/server/follower.h"
#include "service/server/in_force.h"
#include "service/server/standby.h"
#include "service/server/stop_signals.h"
#include "service/store/leadership.h"
#include "service/store/redis_store.h"
#include "service/store/written_mark.h"

namespace sy::server {

namespace {

/// A machine with Redis on it takes so long to start, at most.
constexpr Duration kForRedis = 10min;
constexpr timespec kBetweenTries{.tv_sec = 1, .tv_nsec = 0};

struct Reached {
    std::unique_ptr<store::RedisStore> store;
    store::Leadership leadership;
};

Result<Reached> try_to_reach(const ServeOptions& options) {
    auto store = store::RedisStore::open(*options.redis);
    if (!store) return tl::unexpected(store.error());
    auto leadership = store::Leadership::open(*options.redis, options.candidate);
    if (!leadership) return tl::unexpected(leadership.error());
    return Reached{std::move(*store), std::move(*leadership)};
}

/// After a power cut servers are up before Redis has read its files. Nothing where this one was told to end meanwhile.
Result<std::optional<Reached>> reach(const ServeOptions& options) {
    const sigset_t signals = stop_signals();
    const Instant end = loop::Loop::now() + kForRedis;
    for (std::string said;;) {
        auto reached = try_to_reach(options);
        if (reached) return std::move(*reached);
        if (reached.error().fault != Fault::unreachable || loop::Loop::now() > end)
            return tl::unexpected(reached.error());
        if (std::exchange(said, reached.error().message) != reached.error().message)
            options.say(fmt::format("waiting for Redis: {}", reached.error().message));
        if (::sigtimedwait(&signals, nullptr, &kBetweenTries) > 0) return std::nullopt;
    }
}

}  // namespace

Result<std::optional<Led>> come_to_lead(loop::Loop& loop, const ServeOptions& options,
                                        const std::optional<tls::Terms>& tls, Reign::News news) {
    auto reached = reach(options);
    if (!reached) return tl::unexpected(reached.error());
    if (!*reached) return std::nullopt;
    auto& [store, leadership] = **reached;
    store::WrittenMark mark(options.folder, *options.redis);
    const auto untold = read_in_force(options.folder);
    if (!untold) return tl::unexpected(untold.error());
    Follower follower(
        std::move(store), untold->value_or(options.settings),
        [&loop, &options](const std::string& words) { loop.post([&options, words] { options.say(words); }); });
    const Duration lease = options.candidate.lease;
    const auto leads =
        Standby(loop, leadership, follower, {options.address, options.port, tls, lease, options.say, mark}).wait();
    if (!leads) return tl::unexpected(leads.error());
    if (!*leads) return std::nullopt;
    const store::Term term = leadership.term();
    auto reign = std::make_unique<Reign>(std::move(leadership), lease, std::move(news));  // reading may take long
    auto handed = follower.hand_over(term, std::move(mark));
    if (!handed) return tl::unexpected(handed.error());
    auto documents = store::documents_in(*options.redis, term);
    if (!documents) return tl::unexpected(documents.error());
    const auto warnings = handed->store->warnings();
    if (!warnings) return tl::unexpected(warnings.error());
    for (const std::string& warning : *warnings) options.say("warning: " + warning);
    options.say("this server leads");
    return Led{std::move(handed->store), std::move(handed->past), std::move(*documents), std::move(reign)};
}

}  // namespace sy::server
