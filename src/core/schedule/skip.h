// Skip: whoever finds no room is passed over. GPUs stay busy; a wide gang may wait as long as small tasks keep coming.
#pragma once

#include <utility>

#include "core/schedule/fit.h"

namespace sy::schedule {

class Skip final : public Fit {
public:
    void fill(Desk& desk, Instant now) const override {
        if (desk.waiting().size() == 0 || desk.floor().free_gpus() == 0) return;
        const auto may_fit = [&](DemandId lane) { return desk.demand(lane).gpus <= desk.floor().free_gpus(); };
        for (Walk walk(desk.waiting(), may_fit); !walk.done();) {
            auto seat = desk.find_seat(walk.place().task);
            if (!seat) {
                walk.close_lane();
                continue;
            }
            desk.start(walk.place().task, std::move(*seat), now);
            walk.pass();
        }
    }
};

}  // namespace sy::schedule
