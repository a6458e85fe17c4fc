#include "service/server/leading.h"

#include <utility>

#include "service/server/follower.h"
#include "service/server/in_force.h"
#include "service/server/standby.h"
#include "service/store/leadership.h"
#include "service/store/redis_store.h"

namespace sy::server {

Result<std::optional<Led>> come_to_lead(loop::Loop& loop, const ServeOptions& options,
                                        const std::optional<tls::Terms>& tls, Reign::News news) {
    auto store = store::RedisStore::open(*options.redis);
    if (!store) return tl::unexpected(store.error());
    auto leadership = store::Leadership::open(*options.redis, options.candidate);
    if (!leadership) return tl::unexpected(leadership.error());
    const auto untold = read_in_force(options.folder);
    if (!untold) return tl::unexpected(untold.error());
    Follower follower(
        std::move(*store), untold->value_or(options.settings),
        [&loop, &options](const std::string& words) { loop.post([&options, words] { options.say(words); }); });
    const Duration lease = options.candidate.lease;
    const auto leads =
        Standby(loop, *leadership, follower, {options.address, options.port, tls, lease, options.say}).wait();
    if (!leads) return tl::unexpected(leads.error());
    if (!*leads) return std::nullopt;
    const store::Term term = leadership->term();
    auto reign = std::make_unique<Reign>(std::move(*leadership), lease, std::move(news));  // reading may take long
    auto handed = follower.hand_over(term);
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
