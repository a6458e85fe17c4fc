// Identity: by what a service tells a host that comes back from another machine that took its name.
//
// A number drawn once and kept in the host's folder, and the kernel's number of this boot: machines that were copied
// from one image have the same folder, but not the same boot. After a boot nothing of what ran is left, so that then to
// be taken for another machine, whose leases must end first, costs half a minute and nothing else.
#pragma once

#include <string>

#include "base/result.h"

namespace sy::outpost {

Result<std::string> identity_in(const std::string& folder);

}  // namespace sy::outpost
