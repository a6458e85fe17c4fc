#include "service/redis/reply.h"

#include <charconv>

#include <hiredis/hiredis.h>

namespace sy::redis {

bool Value::is_nothing() const {
    return value_ == nullptr || value_->type == REDIS_REPLY_NIL;
}

bool Value::is_error() const {
    return value_ != nullptr && value_->type == REDIS_REPLY_ERROR;
}

std::string_view Value::text() const {
    if (value_ == nullptr) return {};
    const bool has_text = value_->type == REDIS_REPLY_STRING || value_->type == REDIS_REPLY_STATUS || is_error();
    return has_text ? std::string_view(value_->str, value_->len) : std::string_view();
}

std::optional<std::int64_t> Value::number() const {
    if (value_ != nullptr && value_->type == REDIS_REPLY_INTEGER) return value_->integer;
    const std::string_view digits = text();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

std::size_t Value::size() const {
    return value_ != nullptr && value_->type == REDIS_REPLY_ARRAY ? value_->elements : 0;
}

Value Value::operator[](std::size_t at) const {
    return Value(at < size() ? value_->element[at] : nullptr);
}

void Reply::Free::operator()(redisReply* reply) const {
    freeReplyObject(reply);
}

}  // namespace sy::redis
