// Registry: every predictor of run times that needs no library, by the name users type. The one that does is in
// learned/xgboost.h.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/estimate/run_time.h"

namespace sy::estimate {

/// Nothing where no predictor has that name.
std::unique_ptr<RunTime> make_run_time(std::string_view name);

/// In alphabetical order, for help texts and error messages.
std::vector<std::string_view> run_time_names();

}  // namespace sy::estimate
