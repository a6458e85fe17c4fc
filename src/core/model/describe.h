// Describe: events and effects as the lines people read in transcripts, logs and failure reports.
#pragma once

#include <string>

#include "base/time.h"
#include "core/model/effect.h"
#include "core/model/event.h"

namespace sy {

std::string describe(const Event& event);
std::string describe(const Effect& effect);

/// "0s", "1.5s", "2m 5s", "3h 10m": as short as it stays exact to the millisecond.
std::string describe(Duration duration);

const char* name_of(Level level);
const char* name_of(GpuDuty duty);
const char* name_of(TaskState state);
const char* name_of(End end);
const char* name_of(Outcome outcome);
const char* name_of(VoidCause cause);

}  // namespace sy
