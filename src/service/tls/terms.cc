#include "service/tls/terms.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace sy::tls {

namespace {

std::shared_ptr<SSL_CTX> settings_for(const SSL_METHOD* method) {
    std::shared_ptr<SSL_CTX> settings(SSL_CTX_new(method), SSL_CTX_free);
    SY_CHECK(settings != nullptr, "OpenSSL has no memory");
    SSL_CTX_set_min_proto_version(settings.get(), TLS1_2_VERSION);
    SSL_CTX_set_options(settings.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(settings.get(), SSL_MODE_RELEASE_BUFFERS);
    return settings;
}

tl::unexpected<Error> unusable(const std::string& path, const char* what, const char* fix) {
    const char* reason = ERR_reason_error_string(ERR_get_error());
    ERR_clear_error();
    return fail(Fault::invalid_input, fmt::format("{} holds no {}: {}", path, what, reason ? reason : "unreadable"),
                fix);
}

Result<void> show(SSL_CTX* settings, const std::string& certificate, const std::string& key) {
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(settings, certificate.c_str()) != 1)
        return unusable(certificate, "certificate", "name a file in PEM: the certificate, then those that signed it");
    struct stat there {};
    if (::stat(key.c_str(), &there) == 0 && (there.st_mode & 07U) != 0)
        return fail(Fault::invalid_input, fmt::format("{} is a key that others can read", key),
                    fmt::format("chmod o= {}", key));
    if (SSL_CTX_use_PrivateKey_file(settings, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return unusable(key, "key for that certificate", "name the file in PEM that was made with it");
    return {};
}

Result<void> trust(SSL_CTX* settings, const std::string& authority) {
    ERR_clear_error();
    if (SSL_CTX_load_verify_file(settings, authority.c_str()) == 1) return {};
    return unusable(authority, "certificate of an authority", "name a file in PEM");
}

}  // namespace

Result<Terms> Terms::for_server(const ServerFiles& files) {
    auto settings = settings_for(TLS_server_method());
    if (auto shown = show(settings.get(), files.certificate, files.key); !shown) return tl::unexpected(shown.error());
    SSL_CTX_set_session_cache_mode(settings.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(settings.get(), 0);  // our clients do not come back to a session
    SSL_CTX_set_options(settings.get(), SSL_OP_NO_TICKET);
    if (files.client_ca.empty()) return Terms(std::move(settings));
    if (auto trusted = trust(settings.get(), files.client_ca); !trusted) return tl::unexpected(trusted.error());
    SSL_CTX_set_verify(settings.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return Terms(std::move(settings));
}

Result<Terms> Terms::for_client(const ClientFiles& files) {
    auto settings = settings_for(TLS_client_method());
    SSL_CTX_set_verify(settings.get(), SSL_VERIFY_PEER, nullptr);
    if (files.ca.empty()) {
        SSL_CTX_set_default_verify_paths(settings.get());
    } else if (auto trusted = trust(settings.get(), files.ca); !trusted) {
        return tl::unexpected(trusted.error());
    }
    if (files.certificate.empty() != files.key.empty())
        return fail(Fault::usage, "a certificate and its key go together", "name both, or none");
    if (files.certificate.empty()) return Terms(std::move(settings));
    if (auto shown = show(settings.get(), files.certificate, files.key); !shown) return tl::unexpected(shown.error());
    return Terms(std::move(settings));
}

}  // namespace sy::tls
