// EventStream: server-sent events as a client hears them. Waits, though never longer than asked; for commands, not for
// the service.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "service/http/dial.h"

namespace sy::http {

struct Event {
    std::string id;
    std::string name;
    std::string data;
};

class EventStream {
public:
    /// `last_id`: the last event that is known already; empty: from now on. When this returns, nothing that happens
    /// from here on is missed. `bearer`: a token to show, if any. `files` are for https.
    static Result<EventStream> open(const std::string& server, const std::string& target, const std::string& last_id,
                                    const std::string& bearer = {}, const tls::ClientFiles& files = {});

    /// The next event; nothing where none came in that time. An error where the server has hung up.
    Result<std::optional<Event>> next(Duration patience);

private:
    EventStream(std::string server, Socket socket, std::string heard)
        : server_(std::move(server)), socket_(std::move(socket)), heard_(std::move(heard)) {}
    std::optional<Event> take_event();

    std::string server_;
    Socket socket_;
    std::string heard_;
};

}  // namespace sy::http
