// Alerts: tells people, by the log, a command or a webhook, and does not shout: of each kind the first goes out at once
// and then at most one in a while, which says how many were held back.
//
// Neither a command nor a receiver can hold up the loop. On the loop's thread alone.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/time.h"
#include "service/loop/loop.h"
#include "service/server/alert.h"

namespace sy::server {

struct AlertOptions {
    std::vector<std::string> command;  ///< The program and its arguments; gets the alert as JSON on stdin. Empty: none.
    std::string webhook;               ///< "http://host:port/path", gets it by POST. Empty: none.
    Duration at_most_every = 60s;      ///< For each kind.
    Duration patience = 10s;           ///< With the command and with the receiver.
};

class AlertCommand;
class Webhook;

class Alerts {
public:
    using Say = std::function<void(const std::string&)>;
    /// `started` and `ended`: of processes that alerts need.
    struct Processes {
        std::function<void(pid_t)> started;
        std::function<void(pid_t)> ended;
    };

    Alerts(loop::Loop& loop, AlertOptions options, Say say, Processes processes = {});
    ~Alerts();
    Alerts(const Alerts&) = delete;
    Alerts& operator=(const Alerts&) = delete;

    void raise(const Alert& alert);

private:
    struct Held {
        Instant quiet_until;
        std::uint64_t count = 0;
        Alert latest;
        std::optional<loop::Loop::Timer> timer;
    };

    void send(const Alert& alert, Held& held);

    loop::Loop& loop_;
    AlertOptions options_;
    Say say_;
    std::array<Held, static_cast<std::size_t>(last_of(AlertKind{})) + 1> held_;
    std::unique_ptr<AlertCommand> command_;
    std::unique_ptr<Webhook> webhook_;
};

}  // namespace sy::server
