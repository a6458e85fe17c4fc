// Reply: what Redis answered: nothing, a text, a number or a list of such.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct redisReply;

namespace sy::redis {

/// A part of a reply. Lives as long as the reply.
class Value {
public:
    explicit Value(const redisReply* value) : value_(value) {}

    bool is_nothing() const;
    bool is_error() const;
    /// Empty for what is no text.
    std::string_view text() const;
    /// Of a number, or of a text that is one.
    std::optional<std::int64_t> number() const;
    /// Of a list; 0 for what is none.
    std::size_t size() const;
    /// Nothing where the list is not that long.
    Value operator[](std::size_t at) const;

private:
    const redisReply* value_;
};

class Reply : public Value {
public:
    explicit Reply(redisReply* reply) : Value(reply), reply_(reply) {}

private:
    struct Free {
        void operator()(redisReply* reply) const;
    };
    std::unique_ptr<redisReply, Free> reply_;
};

}  // namespace sy::redis
