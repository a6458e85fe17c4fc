// Terms: on what a TLS line is made: what we show, and whom we trust. With channel.h the one door to OpenSSL's TLS.
//
// TLS 1.2 and 1.3, nothing older. The files are read once.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"

struct ssl_ctx_st;

namespace sy::tls {

/// All of them PEM.
struct ServerFiles {
    std::string certificate;  ///< With those between it and its authority, its own first.
    std::string key;          ///< Closed to others.
    std::string client_ca;    ///< Who signs the certificates that clients must show. Empty: they need none.
};

struct ClientFiles {
    std::string ca;           ///< Who signs servers' certificates. Empty: whom the system trusts.
    std::string certificate;  ///< To show where a server asks for one. Empty: none.
    std::string key;
};

class Terms {
public:
    static Result<Terms> for_server(const ServerFiles& files);
    static Result<Terms> for_client(const ClientFiles& files);

    ssl_ctx_st* get() const { return settings_.get(); }

private:
    explicit Terms(std::shared_ptr<ssl_ctx_st> settings) : settings_(std::move(settings)) {}

    std::shared_ptr<ssl_ctx_st> settings_;
};

}  // namespace sy::tls
