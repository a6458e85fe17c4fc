// Channel: one TLS line without its socket. Sealed bytes that came go in, clear ones come out, and the other way round;
// whoever owns the socket moves the sealed ones, and may do so without ever waiting.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "service/tls/terms.h"

struct ssl_st;

namespace sy::tls {

class Channel {
public:
    /// The server's end.
    static Channel for_server(const Terms& terms);
    /// The client's end. The server must prove to be `host`, a name or an address. There is something to send at once.
    static Channel for_client(const Terms& terms, const std::string& host);

    /// Takes what came and adds what it says to `clear`. False: there will be nothing more. What is left to `take` then
    /// tells the other end why.
    bool hear(std::string_view sealed, std::string& clear);
    /// Once it is open.
    void say(std::string_view clear);
    /// Says that nothing more will be said.
    void close();
    /// What is to be sent now.
    std::string take();

    /// Both ends have shown what they had to.
    bool is_open() const { return open_; }
    /// Why it came to nothing; empty where the other end just said goodbye.
    const std::string& trouble() const { return trouble_; }
    /// The other end does not speak TLS but plain HTTP.
    bool heard_http() const { return http_; }
    /// Whom the other end's certificate names; empty where it showed none.
    std::string peer_name() const;

private:
    struct Free {
        void operator()(ssl_st* line) const;
    };
    explicit Channel(ssl_st* line);
    bool shake();
    bool failed();

    std::unique_ptr<ssl_st, Free> line_;
    bool open_ = false;
    bool over_ = false;
    bool http_ = false;
    std::string trouble_;
};

}  // namespace sy::tls
