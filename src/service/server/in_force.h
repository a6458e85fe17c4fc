// In force: the settings under which the journal was written, as a text. The store keeps them (past.h); a copy in the
// folder is for people, and for stores of earlier versions, which have none.
//
// A journal means what it meant only under its own settings: with other patience a worker would have been given up at
// another instant, with another order another task would have started. So it is read back under the settings it was
// written under, and only then the brain goes over to new ones. Workers of an earlier life know the clocks of that
// life; as long as one is at work, those stay in force (docs/design/0002 says what would happen otherwise).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/control/core.h"

namespace sy::server {

std::string text_of(const control::Settings& settings);
/// Nothing where the text cannot be understood.
std::optional<control::Settings> settings_in(std::string_view text);

/// Nothing where the folder has none yet.
Result<std::optional<control::Settings>> read_in_force(const std::string& folder);
/// On disk when it returns.
Result<void> write_in_force(const std::string& folder, const control::Settings& settings);

bool same_timing(const Timing& a, const Timing& b);
bool same_settings(const control::Settings& a, const control::Settings& b);

}  // namespace sy::server
