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
        parser->eager(false);  // how large the body may be depends on the header
        parser->header_limit(limits.header_bytes);
        parser->body_limit(std::max(limits.body_bytes, limits.large_body_bytes));
    }

    void take_header() {
        parser->eager(true);
        const auto& head = parser->get();
        expectation = beast::iequals(head[beast::http::field::expect], "100-continue");
        const auto target = head.target();
        const bool is_large = head.method() == beast::http::verb::post && !limits.large_path.empty() &&
                              target.substr(0, target.find('?')) == limits.large_path;
        const std::uint64_t most = is_large ? limits.large_body_bytes : limits.body_bytes;
        if (parser->content_length().value_or(0) > most) error = 413;
        parser->body_limit(most);
    }

    unsigned status_for(const beast::error_code& code) const {
        if (code == beast::http::error::header_limit) return 431;
        if (code == beast::http::error::body_limit) return 413;
        return 400;
    }
};

Parser::Parser(Limits limits) : inside_(std::make_unique<Inside>()) {
    inside_->limits = std::move(limits);
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
        if (in.error == 0 && !had_header && in.parser->is_header_done()) in.take_header();
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
