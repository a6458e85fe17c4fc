// Writing a file a user asked for, or standard output where it is called "-".
#pragma once

#include <string>

#include "base/result.h"

namespace sy::cli {

Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace sy::cli
