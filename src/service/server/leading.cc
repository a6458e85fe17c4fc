#include "service/server/leading.h"

#include <utility>

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
    const Duration lease = options.candidate.lease;
    const auto leads = Standby(loop, *leadership, {options.address, options.port, tls, lease, options.say}).wait();
    if (!leads) return tl::unexpected(leads.error());
    if (!*leads) return std::nullopt;
    (*store)->lead(leadership->term());
    const auto warnings = (*store)->warnings();
    if (!warnings) return tl::unexpected(warnings.error());
    for (const std::string& warning : *warnings) options.say("warning: " + warning);
    options.say("this server leads");
    return Led{std::move(*store), std::make_unique<Reign>(std::move(*leadership), lease, std::move(news))};
}

}  // namespace sy::server
