#include "service/http/server.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/http/stream.h"
#include "service/loop/sockets.h"
#include "service/tls/channel.h"

namespace sy::http {

namespace {

constexpr Duration kBetweenSweeps = 1s;

tl::unexpected<Error> cannot_listen(const std::string& where) {
    return fail(Fault::failed, fmt::format("cannot listen on {}: {}", where, ::strerrordesc_np(errno)),
                "is another server running there? choose another address");
}

constexpr std::uint32_t kNobody = 0xffffffff;

/// Who cannot be told is nobody.
Peer peer_of(int fd) {
    sockaddr_storage ours{};
    socklen_t size = sizeof ours;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&ours), &size) != 0 || ours.ss_family != AF_INET) {
        ucred owner{};
        size = sizeof owner;
        const bool told = ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0;
        return {.address = "", .uid = told ? owner.uid : kNobody};
    }
    sockaddr_in name{};
    size = sizeof name;
    std::array<char, INET_ADDRSTRLEN> text{};
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0)
        ::inet_ntop(AF_INET, &name.sin_addr, text.data(), text.size());
    return {.address = text.data()};
}

}  // namespace

struct Server::Connection {
    Connection(int file, const Limits& limits) : fd(file), peer(peer_of(file)), parser(limits) {}

    void say(std::string_view bytes) {
        if (!channel) return void(unsent += bytes);
        channel->say(bytes);
        unsent += channel->take();
    }
    bool is_opening() const { return channel && !channel->is_open(); }

    int fd;  ///< -1: hung up.
    Peer peer;
    Parser parser;
    std::optional<tls::Channel> channel;  ///< Where it speaks TLS.
    std::string unsent;                   ///< As it goes over the line.
    bool busy = false;                    ///< A request is being answered.
    bool closing = false;
    bool streams = false;                         ///< Its answer has no end.
    bool waits_for_room = false;                  ///< Its socket is full.
    std::function<void()> gone;                   ///< To be called if it goes away before its answer has ended.
    std::function<void(std::string_view)> heard;  ///< Who wants what comes while its answer streams; may be empty.
    Instant since;  ///< Its last request, or the first byte of the one that is coming; when it last took something.
};

/// The other end of a connection whose answer has no end. The server may be gone when it is used, and the connection
/// with it.
class Server::Held final : public Stream {
public:
    Held(Server& server, std::weak_ptr<Connection> connection) : server_(server), connection_(std::move(connection)) {}

    bool is_open() const override {
        const auto there = connection_.lock();
        return there && there->fd >= 0;
    }
    std::size_t unsent() const override {
        const auto there = connection_.lock();
        return there ? there->unsent.size() : 0;
    }
    void push(std::string_view bytes) override {
        const auto there = connection_.lock();
        if (!there || there->fd < 0) return;
        if (there->unsent.empty()) there->since = loop::Loop::now();
        there->say(bytes);
        server_.write(there);
    }
    void finish() override {
        const auto there = connection_.lock();
        if (!there || there->fd < 0) return;
        there->gone = {};
        there->closing = true;
        if (there->channel) {
            there->channel->close();
            there->unsent += there->channel->take();
        }
        server_.write(there);
    }
    void close() override {
        if (const auto there = connection_.lock()) server_.hang_up(*there);
    }

private:
    Server& server_;
    std::weak_ptr<Connection> connection_;
};

Server::Server(loop::Loop& loop, Limits limits, Patience patience, Handler handler)
    : loop_(loop), limits_(std::move(limits)), patience_(patience), handler_(std::move(handler)) {
    sweep_ = loop_.at(loop::Loop::now() + kBetweenSweeps, [this] { sweep(); });
}

Server::~Server() {
    loop_.cancel(sweep_);
    for (const int fd : listeners_) {
        loop_.forget(fd);
        ::close(fd);
    }
    while (!connections_.empty()) {
        const std::shared_ptr<Connection> connection = connections_.begin()->second;
        connection->gone = {};  // it is we who go
        hang_up(*connection);
    }
}

Result<std::uint16_t> Server::listen_tcp(const std::string& address, std::uint16_t port,
                                         const std::optional<tls::Terms>& terms) {
    const std::string where = fmt::format("{}:{}", address, port);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1)
        return fail(Fault::usage, fmt::format("'{}' is no IPv4 address", address), "for example 127.0.0.1");
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = sizeof name;
    if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&name), size) != 0 || ::listen(fd, SOMAXCONN) != 0 ||
        ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) {
        auto error = cannot_listen(where);
        if (fd >= 0) ::close(fd);
        return error;
    }
    add_listener(fd, terms);
    return ntohs(name.sin_port);
}

Result<void> Server::listen_unix(const std::string& path) {
    return loop::listen_unix(path).map([this](int fd) { add_listener(fd, std::nullopt); });
}

void Server::add_listener(int fd, const std::optional<tls::Terms>& terms) {
    listeners_.push_back(fd);
    loop_.watch(fd, EPOLLIN, [this, fd, terms](std::uint32_t) { take_in(fd, terms); });
}

void Server::take_in(int listener, const std::optional<tls::Terms>& terms) {
    for (;;) {
        const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) return;
        if (connections_.size() >= patience_.connections) {
            ::close(fd);
            continue;
        }
        const int yes = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        const auto connection = std::make_shared<Connection>(fd, limits_);
        connection->since = loop::Loop::now();
        if (terms) connection->channel.emplace(tls::Channel::for_server(*terms));
        connection->peer.sealed = terms.has_value();
        connections_[fd] = connection;
        loop_.watch(fd, EPOLLIN, [this, connection](std::uint32_t events) {
            if ((events & EPOLLOUT) != 0) write(connection);
            if (connection->fd >= 0 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read(connection);
        });
    }
}

void Server::read(const std::shared_ptr<Connection>& connection) {
    bool broken = false;
    const bool alive = loop::read_all(connection->fd, [&](std::string_view bytes) {
        std::string clear;
        if (connection->channel) {
            broken = !connection->channel->hear(bytes, clear);
            bytes = clear;
        }
        if (connection->streams) {  // there is nothing more to ask for
            if (connection->heard && !bytes.empty() && connection->fd >= 0) connection->heard(bytes);
            return;
        }
        if (bytes.empty()) return;
        if (!connection->parser.is_in_the_middle()) connection->since = loop::Loop::now();
        connection->parser.add(bytes);
    });
    if (connection->fd < 0) return;
    if (!alive) return hang_up(*connection);
    if (broken) return break_off(connection);
    if (connection->channel) {
        if (connection->peer.certificate.empty()) connection->peer.certificate = connection->channel->peer_name();
        connection->unsent += connection->channel->take();
        if (!connection->unsent.empty()) write(connection);
    }
    handle_next(connection);
}

/// The line is of no use any more; the other end is told why.
void Server::break_off(const std::shared_ptr<Connection>& connection) {
    const std::string last = connection->channel->take();
    if (connection->channel->heard_http()) {
        connection->unsent += bytes_of({400, "{\"error\":\"this port speaks TLS: use https://\"}\n"}, false);
    } else {
        connection->unsent += last;
    }
    connection->closing = true;
    write(connection);
}

void Server::handle_next(const std::shared_ptr<Connection>& connection) {
    if (connection->busy || connection->closing || connection->fd < 0) return;
    auto request = connection->parser.next();
    if (connection->parser.take_expectation() && !request) {
        connection->say("HTTP/1.1 100 Continue\r\n\r\n");
        write(connection);
    }
    if (const unsigned error = connection->parser.error())
        return answer(connection,
                      {error, fmt::format("{{\"error\":\"{}\"}}\n", reason_of(error)), "application/json", {}}, false);
    if (!request) return;
    connection->busy = true;
    request->peer = connection->peer;
    const bool keep_alive = request->keep_alive;
    request->when_gone = [weak = std::weak_ptr(connection)](std::function<void()> call) {
        if (const auto there = weak.lock(); there && there->busy) there->gone = std::move(call);
    };
    handler_(*request, [this, weak = std::weak_ptr(connection), keep_alive](const Response& response) {
        if (const auto there = weak.lock(); there && there->fd >= 0) answer(there, response, keep_alive);
    });
}

void Server::answer(const std::shared_ptr<Connection>& connection, const Response& response, bool keep_alive) {
    if (response.status >= 100 && response.status < 600) ++traffic_.by_class[response.status / 100 - 1];
    connection->say(bytes_of(response, keep_alive));
    connection->streams = static_cast<bool>(response.opened);
    if (connection->streams) {
        connection->since = loop::Loop::now();
        connection->heard = response.heard;
        write(connection);
        return response.opened(std::make_shared<Held>(*this, connection));
    }
    connection->gone = {};
    connection->busy = false;
    connection->closing = !keep_alive;
    if (connection->closing && connection->channel) {
        connection->channel->close();
        connection->unsent += connection->channel->take();
    }
    connection->since = loop::Loop::now();
    to_flush_.push_back(connection);
    handle_next(connection);  // what came meanwhile
}

void Server::flush() {
    for (const auto& connection : std::exchange(to_flush_, {})) write(connection);
}

void Server::write(const std::shared_ptr<Connection>& connection) {
    if (connection->fd < 0) return;
    const std::size_t before = connection->unsent.size();
    const bool alive = loop::write_some(connection->fd, connection->unsent);
    if (connection->streams && connection->unsent.size() < before) connection->since = loop::Loop::now();
    if (!alive || (connection->unsent.empty() && connection->closing)) return hang_up(*connection);
    if (std::exchange(connection->waits_for_room, !connection->unsent.empty()) == connection->waits_for_room) return;
    loop_.change(connection->fd, connection->waits_for_room ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void Server::hang_up(Connection& connection) {
    const int fd = std::exchange(connection.fd, -1);
    if (fd < 0) return;
    const auto gone = std::exchange(connection.gone, {});
    loop_.forget(fd);
    ::close(fd);
    connections_.erase(fd);  // the connection may be no more
    if (gone) gone();
}

void Server::sweep() {
    const Instant now = loop::Loop::now();
    std::vector<std::shared_ptr<Connection>> late;
    for (const auto& [fd, connection] : connections_) {
        if (connection->streams ? connection->unsent.empty() : connection->busy) continue;
        if (connection->is_opening()) {
            if (now - connection->since > patience_.for_a_handshake) late.push_back(connection);
            continue;
        }
        const bool middle = connection->parser.is_in_the_middle() || !connection->unsent.empty();
        if (now - connection->since > (middle ? patience_.for_a_request : patience_.between))
            late.push_back(connection);
    }
    for (const auto& connection : late) hang_up(*connection);
    sweep_ = loop_.at(now + kBetweenSweeps, [this] { sweep(); });
}

}  // namespace sy::http
