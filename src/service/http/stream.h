// Stream: an answer that stays open. Its head has gone out, and what is pushed follows, until one of both hangs up.
//
// Pushing never waits. What the client has not taken yet is kept, so whoever pushes looks at `unsent` first and stops
// when it grows: a client that reads slowly must cost little. One that takes nothing for too long is hung up on.
#pragma once

#include <cstddef>
#include <string_view>

namespace sy::http {

class Stream {
public:
    Stream() = default;
    virtual ~Stream() = default;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    virtual bool is_open() const = 0;
    /// Bytes that were pushed and have not gone out.
    virtual std::size_t unsent() const = 0;
    virtual void push(std::string_view bytes) = 0;
    /// Hangs up once all that was pushed has gone out.
    virtual void finish() = 0;
    /// Hangs up, whatever is left to send.
    virtual void close() = 0;
};

}  // namespace sy::http
