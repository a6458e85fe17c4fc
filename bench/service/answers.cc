#include "service/answers.h"

#include <charconv>

namespace sy::bench {

namespace {

/// The number that stands at this place; 0 where there is none.
std::size_t number_at(std::string_view text, std::size_t at) {
    std::size_t number = 0;
    if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), number);
    return number;
}

}  // namespace

std::optional<Answer> Answers::next() {
    constexpr std::string_view kLength = "Content-Length: ";
    constexpr std::size_t kStatusAt = 9;  // behind "HTTP/1.1 "
    const std::size_t head = heard_.find("\r\n\r\n");
    if (head == std::string::npos) return std::nullopt;
    const std::size_t length = heard_.find(kLength);
    if (length > head) return Answer{};
    const std::size_t body = number_at(heard_, length + kLength.size());
    if (heard_.size() < head + 4 + body) return std::nullopt;
    Answer answer{static_cast<unsigned>(number_at(heard_, kStatusAt)), heard_.substr(head + 4, body)};
    heard_.erase(0, head + 4 + body);
    return answer;
}

}  // namespace sy::bench
