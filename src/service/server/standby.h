// Standby: a server that waits until it leads. Meanwhile it answers that it lives, and sends clients to the one who
// leads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "service/http/message.h"
#include "service/loop/loop.h"
#include "service/store/leadership.h"
#include "service/tls/terms.h"

namespace sy::server {

class Standby {
public:
    struct Options {
        std::string address;  ///< For TCP. Empty: nobody is answered.
        std::uint16_t port = 0;
        std::optional<tls::Terms> tls;
        Duration lease = 10s;
        std::function<void(const std::string&)> say;
    };

    Standby(loop::Loop& loop, store::Leadership& leadership, Options options)
        : loop_(loop), leadership_(leadership), options_(std::move(options)) {}

    /// Until it leads: true. False where SIGTERM or SIGINT came first; both must be blocked.
    Result<bool> wait();

private:
    void try_again();
    void say_who_leads(store::Try how);
    http::Response answer(const http::Request& request) const;

    loop::Loop& loop_;
    store::Leadership& leadership_;
    Options options_;
    std::string leader_;  ///< Where clients find it; empty: nobody knows.
    std::string said_;
    bool leads_ = false;
    std::optional<Error> trouble_;
};

}  // namespace sy::server
