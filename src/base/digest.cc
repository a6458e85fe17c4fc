#include "base/digest.h"

#include <fmt/core.h>

namespace sy {

std::string Digest::text() const {
    return fmt::format("{:016x}", value_);
}

}  // namespace sy
