// Feed: what changes, as server-sent events, each with an id that only grows.
//
// The latest events are remembered, so that a listener who was away goes on where it stopped; one who was away for too
// long, or over a restart, is told of the gap and looks at everything anew. An id is "life-number": each life of the
// server has its own, so that none is taken for another's.
//
// Every listener has its place in what is remembered and is sent more as it takes what it has. So a slow one costs a
// bounded buffer, and when what it needs next is forgotten it is hung up on. On the loop's thread alone.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/http/message.h"
#include "service/http/stream.h"
#include "service/loop/loop.h"
#include "service/server/change.h"

namespace sy::server {

struct FeedLimits {
    std::size_t remembered = 65'536;
    std::size_t listeners = 512;
    std::size_t ahead = 262'144;  ///< Bytes for a listener that has not taken what it has.
    Duration keep_alive = 15s;    ///< Between signs of life.
};

class Feed {
public:
    /// `life`: not that of an earlier server.
    Feed(loop::Loop& loop, std::int64_t life, FeedLimits limits = {});
    ~Feed() { loop_.cancel(timer_); }
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    void add(const Change& change);
    /// The answer to who wants to listen: from now on, or after the event named by Last-Event-ID or `after`; with
    /// `task`, to that task alone.
    http::Response open(const http::Request& request);
    /// At the end of every turn: hands out what is new.
    void flush();

    std::size_t listener_count() const { return listeners_.size(); }

private:
    struct Listener {
        std::shared_ptr<http::Stream> stream;
        std::optional<TaskId> task;
        std::uint64_t next = 0;  ///< The number of the event it is to hear next.
    };

    std::uint64_t first() const { return next_ - changes_.size(); }
    std::string id_of(std::uint64_t number) const;
    std::string text_of(std::uint64_t number) const;
    std::optional<std::uint64_t> after(const std::string& id) const;
    void join(std::shared_ptr<http::Stream> stream, std::optional<TaskId> task, const std::string& last);
    void hand_out(Listener& listener) const;
    void keep_alive();

    loop::Loop& loop_;
    std::int64_t life_;
    FeedLimits limits_;
    std::deque<Change> changes_;      ///< Put into words when somebody listens.
    std::uint64_t next_ = 1;          ///< The number of the next event.
    std::size_t not_handed_out_ = 0;  ///< Events since the last flush.
    std::vector<Listener> listeners_;
    loop::Loop::Timer timer_;
};

}  // namespace sy::server
