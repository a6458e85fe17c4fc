#include "core/balance/least_connections.h"

namespace sy::balance {

namespace {

Standing standing_of(const Replica& replica) {
    return {replica.in_flight + 1, 0, replica.pull(), replica.id};
}

}  // namespace

Slot LeastConnections::pick(const Fleet& fleet, const Request& /*request*/) {
    if (seen_ != fleet.version()) {
        seen_ = fleet.version();
        tree_.reset(fleet.slot_end());
        for (const Slot slot : fleet.available()) tree_.put(slot, standing_of(fleet.at(slot)));
        tree_.build();
    }
    return tree_.best();
}

void LeastConnections::load_changed(const Fleet& fleet, Slot slot) {
    if (seen_ == fleet.version()) tree_.set(slot, standing_of(fleet.at(slot)));
}

}  // namespace sy::balance
