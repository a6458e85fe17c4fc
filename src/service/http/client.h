// Client: one request, one answer, over TCP or a socket in the file system. Waits; for commands, not for the service.
#pragma once

#include <string>

#include "base/result.h"
#include "service/http/dial.h"
#include "service/http/message.h"

namespace sy::http {

/// How to ask.
struct Manner {
    std::string bearer;  ///< A token to show, if any.
    Duration patience = kNoHurry;
    tls::ClientFiles files = {};  ///< For https.
};

/// "http://127.0.0.1:7878", "https://…" or "unix:/path/to/api.sock". An error where nobody answers in time.
Result<Response> ask(const std::string& server, const std::string& method, const std::string& target,
                     const std::string& body = {}, const Manner& manner = {});

}  // namespace sy::http
