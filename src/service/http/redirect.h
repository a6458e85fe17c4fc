// Where a server that stands by sends its clients on to.
#pragma once

#include <string>

namespace sy::http {

/// "http://host:port" of what stands in `location`, where one who asked `server` may follow. Empty where not: what was
/// meant for https, a token for one, must not go out in the clear.
std::string sent_on_to(const std::string& server, const std::string& location);

}  // namespace sy::http
