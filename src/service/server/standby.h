// Standby: a server that waits until it leads. Meanwhile it follows the journal, answers that it lives, and sends
// clients to the one who leads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "service/http/message.h"
#include "service/loop/loop.h"
#include "service/server/follower.h"
#include "service/store/leadership.h"
#include "service/store/written_mark.h"
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
        const store::WrittenMark& mark;  ///< What this server wrote there before.
    };

    Standby(loop::Loop& loop, store::Leadership& leadership, Follower& follower, Options options)
        : loop_(loop), leadership_(leadership), follower_(follower), options_(std::move(options)) {}

    /// Until it leads: true. False where SIGTERM or SIGINT came first; both must be blocked.
    Result<bool> wait();

private:
    void try_again();
    void give_up_what_is_lost(store::Try how);
    void say_who_leads(store::Try how);
    http::Response answer(const http::Request& request) const;

    loop::Loop& loop_;
    store::Leadership& leadership_;
    Follower& follower_;
    Options options_;
    store::Term seen_;                     ///< The latest that led.
    std::optional<Instant> behind_since_;  ///< Redis lacks what was seen.
    std::string leader_;                   ///< Where clients find it; empty: nobody knows.
    std::string said_;
    bool leads_ = false;
    std::optional<Error> trouble_;
};

}  // namespace sy::server
