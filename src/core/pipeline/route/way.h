// Way: nodes one after the other, and what going through them takes.
#pragma once

#include "core/pipeline/route/route.h"

namespace sy::pipeline {

struct Way {
    Pipeline stages;  ///< None where there is no way.
    Duration expected{};
};

}  // namespace sy::pipeline
