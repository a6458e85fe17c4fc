// Strict: nobody overtakes. The first in line that finds no room holds up all behind it: nothing starves, much idles.
#pragma once

#include <utility>

#include "core/schedule/fit.h"

namespace sy::schedule {

class Strict final : public Fit {
public:
    void fill(Desk& desk, Instant now) const override {
        if (desk.waiting().size() == 0 || desk.floor().free_gpus() == 0) return;
        for (Walk walk(desk.waiting(), [](DemandId) { return true; }); !walk.done(); walk.pass()) {
            auto seat = desk.find_seat(walk.place().task);
            if (!seat) return;
            desk.start(walk.place().task, std::move(*seat), now);
        }
    }
};

}  // namespace sy::schedule
