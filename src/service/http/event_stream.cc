#include "service/http/event_stream.h"

#include <cerrno>
#include <chrono>

#include <fmt/format.h>
#include <poll.h>

namespace sy::http {

namespace {

constexpr Duration kPatienceForTheHead = 30s;

enum class Heard { something, nothing, the_end };

/// What comes within that time.
Heard hear(Socket& socket, Duration patience, std::string& heard) {
    pollfd wait{socket.fd(), POLLIN, 0};
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(std::max(patience, Duration::zero())).count();
    const int ready = ::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(ms, 1'000'000)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) return Heard::nothing;
    const auto more = socket.hear();
    if (!more) return Heard::the_end;
    heard += *more;
    return Heard::something;
}

std::chrono::steady_clock::time_point end_of(Duration patience) {
    return std::chrono::steady_clock::now() + patience;
}

}  // namespace

Result<EventStream> EventStream::open(const std::string& server, const std::string& target, const std::string& last_id,
                                      const std::string& bearer, const tls::ClientFiles& files) {
    auto socket = dial(server, kNoHurry, files);
    if (!socket) return tl::unexpected(socket.error());
    std::string known = last_id.empty() ? "" : fmt::format("Last-Event-ID: {}\r\n", last_id);
    if (!bearer.empty()) known += fmt::format("Authorization: Bearer {}\r\n", bearer);
    if (!socket->send_all(
            fmt::format("GET {} HTTP/1.1\r\nHost: switchyard\r\nAccept: text/event-stream\r\n{}\r\n", target, known)))
        return unreachable(server, "it hung up");
    std::string heard;
    while (heard.find("\r\n\r\n") == std::string::npos)
        if (hear(*socket, kPatienceForTheHead, heard) != Heard::something)
            return unreachable(server, "it hung up before it answered");
    constexpr std::string_view kGood = "HTTP/1.1 200 ";
    if (!heard.starts_with(kGood))
        return fail(Fault::failed, fmt::format("{} gives no events: {}", server, heard.substr(0, heard.find("\r\n"))));
    heard.erase(0, heard.find("\r\n\r\n") + 4);
    return EventStream(server, std::move(*socket), std::move(heard));
}

Result<std::optional<Event>> EventStream::next(Duration patience) {
    const auto end = end_of(patience);
    for (;;) {
        if (auto event = take_event()) return event;
        switch (hear(socket_, end - std::chrono::steady_clock::now(), heard_)) {
            case Heard::something: break;
            case Heard::nothing: return std::nullopt;
            case Heard::the_end: return unreachable(server_, "it hung up");
        }
    }
}

/// The next block of lines that is an event; comments are passed over.
std::optional<Event> EventStream::take_event() {
    for (std::size_t end = 0; (end = heard_.find("\n\n")) != std::string::npos;) {
        const std::string block = heard_.substr(0, end + 1);
        heard_.erase(0, end + 2);
        Event event;
        for (std::size_t at = 0; at < block.size();) {
            const std::size_t stop = block.find('\n', at);
            const std::string line = block.substr(at, stop - at);
            at = stop + 1;
            if (line.starts_with("id: ")) event.id = line.substr(4);
            if (line.starts_with("event: ")) event.name = line.substr(7);
            if (line.starts_with("data: ")) event.data += line.substr(6);
        }
        if (!event.name.empty()) return event;
    }
    return std::nullopt;
}

}  // namespace sy::http
