// Line: one client of the service that keeps its line open. Asks and waits.
#pragma once

#include <string>

#include "base/result.h"
#include "service/answers.h"
#include "service/http/dial.h"

namespace sy::bench {

/// A request as bytes.
std::string request_text(const std::string& method, const std::string& target, const std::string& body = {});

class Line {
public:
    /// "unix:/path/api.sock" or "http://127.0.0.1:7878".
    static Result<Line> open(const std::string& server);

    /// The answer; status 0 where the server hung up.
    Answer ask(const std::string& request);
    int fd() const { return socket_.fd(); }

private:
    explicit Line(http::Socket socket) : socket_(std::move(socket)) {}

    http::Socket socket_;
    Answers answers_;
};

}  // namespace sy::bench
