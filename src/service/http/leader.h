// Leader: which of the servers that a user names to speak to. Servers that share a store answer for each other: one
// that stands by names the one that leads.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "service/tls/terms.h"

namespace sy::http {

/// "A,B" as a list.
std::vector<std::string> servers_in(const std::string& text);

/// The first that leads, or whom the first that stands by names. They are asked without a token. An error where none
/// answers.
Result<std::string> leader_among(const std::vector<std::string>& servers, const tls::ClientFiles& files);

}  // namespace sy::http
