#include "service/http/redirect.h"

#include <algorithm>

namespace sy::http {

std::string sent_on_to(const std::string& server, const std::string& location) {
    const std::size_t scheme = location.find("://");
    if (scheme == std::string::npos || !server.starts_with(location.substr(0, scheme + 3))) return "";
    const std::string leader = location.substr(0, location.find('/', scheme + 3));
    const auto is_plain = [](unsigned char c) { return c > ' ' && c < 127 && c != '@'; };
    return leader.size() > scheme + 3 && std::all_of(leader.begin(), leader.end(), is_plain) ? leader : "";
}

}  // namespace sy::http
