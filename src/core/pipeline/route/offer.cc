#include "core/pipeline/route/offer.h"

namespace sy::pipeline {

Offer offer_of(const Shards& shards, NodeIndex node, Level level) {
    const Shard& shard = shards.at(node);
    if (shards.full(node)) return {};
    const Nanoseconds per_layer = shard.per_layer.count();
    Nanoseconds own = shards.wait(node, level).count() + per_layer * shard.range.end;
    if (shard.range.end == shards.layers()) own += shards.hop(node, kClient).count();
    Offer offer{.from_node = own, .per_layer = per_layer};
    if (shard.range.first == 0) offer.from_client = own + shards.hop(kClient, node).count();
    return offer;
}

}  // namespace sy::pipeline
