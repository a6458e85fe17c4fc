#include "service/http/parser.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace sy::http {

namespace beast = boost::beast;

using BeastParser = beast::http::request_parser<beast::http::string_body>;

struct Parser::Inside {
    Limits limits;
    std::string bytes;
    std::optional<BeastParser> parser;
    unsigned error = 0;
    bool expectation = false;

    void begin() {
        parser.emplace();
        parser->eager(true);
        parser->header_limit(limits.header_bytes);
        parser->body_limit(limits.body_bytes);
    }

    unsigned status_for(const beast::error_code& code) const {
        if (code == beast::http::error::header_limit) return 431;
        if (code == beast::http::error::body_limit) return 413;
        return 400;
    }
};

Parser::Parser(Limits limits) : inside_(std::make_unique<Inside>()) {
    inside_->limits = limits;
    inside_->begin();
}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

void Parser::add(std::string_view bytes) {
    inside_->bytes += bytes;
}

unsigned Parser::error() const {
    return inside_->error;
}

bool Parser::is_in_the_middle() const {
    return !inside_->bytes.empty() || inside_->parser->got_some();
}

bool Parser::take_expectation() {
    return std::exchange(inside_->expectation, false);
}

std::optional<Request> Parser::next() {
    Inside& in = *inside_;
    while (in.error == 0 && !in.parser->is_done() && !in.bytes.empty()) {
        const bool had_header = in.parser->is_header_done();
        beast::error_code code;
        const std::size_t used = in.parser->put(boost::asio::buffer(in.bytes), code);
        in.bytes.erase(0, used);
        if (code == beast::http::error::need_more && used == 0) break;
        if (code && code != beast::http::error::need_more) in.error = in.status_for(code);
        if (!had_header && in.parser->is_header_done())
            in.expectation = beast::iequals(in.parser->get()[beast::http::field::expect], "100-continue");
    }
    if (in.error != 0 || !in.parser->is_done()) return std::nullopt;
    auto message = in.parser->release();
    in.begin();
    Request request;
    request.method = std::string(message.method_string());
    request.keep_alive = message.keep_alive();
    request.body = std::move(message.body());
    for (const auto& field : message) {
        std::string name(field.name_string());
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        request.headers[name] = std::string(field.value());
    }
    const auto target = message.target();
    if (!split_target({target.data(), target.size()}, request)) {
        in.error = 400;
        return std::nullopt;
    }
    return request;
}

}  // namespace sy::http
