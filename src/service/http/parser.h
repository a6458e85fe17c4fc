// Parser: bytes from a stranger become requests, within limits. Behind it stands Boost.Beast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/message.h"

namespace sy::http {

struct Limits {
    std::uint32_t header_bytes = 16'384;
    std::uint64_t body_bytes = std::uint64_t{64} << 20U;
    std::string large_path = {};  ///< What is sent by POST to this place alone may have `large_body_bytes`.
    std::uint64_t large_body_bytes = 0;
};

class Parser {
public:
    explicit Parser(Limits limits);
    Parser(Parser&&) noexcept;
    Parser& operator=(Parser&&) noexcept;
    ~Parser();

    void add(std::string_view bytes);
    /// The next whole request; nothing while it has not come whole, or after an error.
    std::optional<Request> next();
    /// The status to answer with, where what came is no request we take; 0: none. Nothing more will come out.
    unsigned error() const;
    /// Whether part of a request has come.
    bool is_in_the_middle() const;
    /// Asked once for each request whose sender waits to be told that its body is welcome.
    bool take_expectation();

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace sy::http
