// Dialling: one try to reach a server that leads, and to become a line to it. Waits; for a thread of its own.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "service/http/dial.h"
#include "service/outpost/uplink.h"

namespace sy::outpost {

struct NewLine {
    http::Socket socket;
    std::string server;
    std::string heard;  ///< What came on it already.
};

/// The first of the servers that takes us. An error of the last otherwise; Fault::invalid_input: it does not want us,
/// Fault::usage: it is no server at all.
Result<NewLine> dial(const Servers& servers);

}  // namespace sy::outpost
