// Weather file: fixes parts of a drill's weather, so that one can hold the kind of storm one fears.
#pragma once

#include "base/result.h"
#include "input/document.h"
#include "sim/weather.h"

namespace sy::sim {

/// The given weather with what the document says in place of it. Keys: docs/schema/weather.schema.json.
Result<Weather> read_weather(const input::Document& document, Weather weather);

}  // namespace sy::sim
