// Server: HTTP/1.1 on the loop's thread, over TCP or a socket in the file system.
//
// One request of a connection is answered before the next is looked at. An answer may come later, from another turn of
// the loop; if the client has gone by then, it goes nowhere, and whoever answers can be told of that. Who sends slowly
// or nothing at all is hung up on.
//
// With terms, TCP speaks TLS. Who does not get through its beginning in time is hung up on as well, and nobody waits
// for anybody else.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/http/message.h"
#include "service/http/parser.h"
#include "service/loop/loop.h"
#include "service/tls/terms.h"

namespace sy::http {

struct Patience {
    Duration for_a_request = 30s;    ///< From its first byte to its last; also for a client that takes nothing.
    Duration between = 120s;         ///< Without any request.
    Duration for_a_handshake = 10s;  ///< Of TLS.
    std::size_t connections = 1024;
};

/// What was answered.
struct Traffic {
    std::array<std::uint64_t, 5> by_class{};  ///< Of status: 1xx to 5xx.
};

class Server {
public:
    /// To be called once, on the loop's thread.
    using Answer = std::function<void(Response)>;
    using Handler = std::function<void(const Request&, Answer)>;

    Server(loop::Loop& loop, Limits limits, Patience patience, Handler handler);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// The port it listens on; 0 asks for any.
    Result<std::uint16_t> listen_tcp(const std::string& address, std::uint16_t port,
                                     const std::optional<tls::Terms>& terms = std::nullopt);
    Result<void> listen_unix(const std::string& path);
    /// At the end of every turn: sends the answers.
    void flush();
    std::size_t connection_count() const { return connections_.size(); }
    const Traffic& traffic() const { return traffic_; }

private:
    struct Connection;
    class Held;

    void add_listener(int fd, const std::optional<tls::Terms>& terms);
    void take_in(int listener, const std::optional<tls::Terms>& terms);
    void read(const std::shared_ptr<Connection>& connection);
    void handle_next(const std::shared_ptr<Connection>& connection);
    void answer(const std::shared_ptr<Connection>& connection, const Response& response, bool keep_alive);
    void write(const std::shared_ptr<Connection>& connection);
    void break_off(const std::shared_ptr<Connection>& connection);
    void hang_up(Connection& connection);
    void sweep();

    loop::Loop& loop_;
    Limits limits_;
    Patience patience_;
    Handler handler_;
    std::vector<int> listeners_;
    std::unordered_map<int, std::shared_ptr<Connection>> connections_;
    std::vector<std::shared_ptr<Connection>> to_flush_;  ///< Answered in this turn.
    loop::Loop::Timer sweep_;
    Traffic traffic_;
};

}  // namespace sy::http
