// Exchange: one request to a server on this machine and what comes back of it. Nothing here waits: its socket stands in
// the caller's poll set. To destroy it is to hang up.
#pragma once

#include <cstdint>
#include <string>

#include <poll.h>

#include "service/http/response_parser.h"

namespace sy::worker {

struct ServerPlace {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;
};

class Exchange {
public:
    /// `body` empty: a GET without one may be meant, or a POST of nothing.
    Exchange(const ServerPlace& place, const std::string& method, const std::string& target, const std::string& body);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    ~Exchange();

    /// What to wait for.
    pollfd waits_for() const;
    /// Writes and reads what can be, once there was something.
    void step();

    bool is_whole() const { return answer_.is_whole(); }
    bool has_succeeded() const { return is_whole() && answer_.status() >= 200 && answer_.status() < 300; }
    bool is_connected() const { return connected_; }
    /// Why nothing will come of it; empty: something may, or has.
    std::string trouble() const { return trouble_.empty() ? answer_.trouble() : trouble_; }
    /// Whether the line was cut, or never there: the server may have died.
    bool is_cut() const { return cut_; }
    http::ResponseParser& answer() { return answer_; }

private:
    void fail(int error);

    int fd_ = -1;
    bool connected_ = false;
    bool cut_ = false;
    std::string unsent_;
    http::ResponseParser answer_;
    std::string trouble_;
};

/// A port that nobody uses just now; 0 where there is none.
std::uint16_t free_port(const std::string& address);

}  // namespace sy::worker
