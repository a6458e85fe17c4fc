// A small file that is written as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sy::store {

/// On disk when it returns, readable by its owner alone. Whoever reads meanwhile sees the old one or the new one.
Result<void> write_whole(const std::string& path, std::string_view text);

}  // namespace sy::store
