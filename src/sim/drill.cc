#include "sim/drill.h"

#include "sim/yard.h"

namespace sy::sim {

DrillReport run_drill(const DrillOptions& options) {
    Random random(options.seed);
    Weather weather = draw_weather(random);
    if (options.adjust) options.adjust(weather);

    Yard yard(weather, random.split(), options);
    yard.open();
    yard.run_storm();
    yard.run_calm();
    yard.check();
    return yard.report();
}

}  // namespace sy::sim
