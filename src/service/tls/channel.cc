#include "service/tls/channel.h"

#include <algorithm>
#include <array>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace sy::tls {

namespace {

constexpr std::size_t kLongestName = 100;

SSL* line_under(const Terms& terms) {
    SSL* line = SSL_new(terms.get());
    BIO* in = BIO_new(BIO_s_mem());
    BIO* out = BIO_new(BIO_s_mem());
    SY_CHECK(line != nullptr && in != nullptr && out != nullptr, "OpenSSL has no memory");
    SSL_set_bio(line, in, out);
    return line;
}

/// The common name, or all of the subject where it has none; what cannot be printed is shown as '?'.
std::string name_in(const X509* certificate) {
    const X509_NAME* subject = X509_get_subject_name(certificate);
    std::string name;
    if (const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0) {
        const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
        name.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                    static_cast<std::size_t>(ASN1_STRING_length(text)));
    } else {
        std::array<char, 4 * kLongestName> line{};
        X509_NAME_oneline(subject, line.data(), static_cast<int>(line.size()));
        name = line.data();
    }
    if (name.size() > kLongestName) name.resize(kLongestName);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return name.empty() ? "?" : name;
}

}  // namespace

void Channel::Free::operator()(ssl_st* line) const {
    SSL_free(line);
}

Channel::Channel(ssl_st* line) : line_(line) {}

Channel Channel::for_server(const Terms& terms) {
    Channel channel(line_under(terms));
    SSL_set_accept_state(channel.line_.get());
    return channel;
}

Channel Channel::for_client(const Terms& terms, const std::string& host) {
    Channel channel(line_under(terms));
    SSL* line = channel.line_.get();
    SSL_set_connect_state(line);
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(line), host.c_str()) != 1) {
        SSL_set1_host(line, host.c_str());
        SSL_ctrl(line, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str()));
    }
    channel.shake();
    return channel;
}

bool Channel::hear(std::string_view sealed, std::string& clear) {
    if (over_) return false;
    ERR_clear_error();
    std::size_t taken = 0;
    if (!sealed.empty()) BIO_write_ex(SSL_get_rbio(line_.get()), sealed.data(), sealed.size(), &taken);
    if (!open_ && !shake()) return false;
    if (!open_) return true;
    std::array<char, 16384> buffer;
    for (std::size_t size = 0; SSL_read_ex(line_.get(), buffer.data(), buffer.size(), &size) == 1;)
        clear.append(buffer.data(), size);
    return !failed();
}

bool Channel::shake() {
    if (SSL_do_handshake(line_.get()) != 1) return !failed();
    open_ = true;
    return true;
}

/// Whether the last call ended it; otherwise it waits for more.
bool Channel::failed() {
    const int state = SSL_get_error(line_.get(), 0);
    if (state == SSL_ERROR_WANT_READ || state == SSL_ERROR_WANT_WRITE) return false;
    over_ = true;
    if (state == SSL_ERROR_ZERO_RETURN) return true;
    const unsigned long error = ERR_peek_last_error();  // the first may be a detail of it
    http_ = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_REASON(error) == SSL_R_HTTP_REQUEST;
    const char* reason = ERR_reason_error_string(error);
    trouble_ = reason != nullptr ? reason : "it broke off";
    if (const long verdict = SSL_get_verify_result(line_.get()); verdict != X509_V_OK)
        trouble_ += std::string(": ") + X509_verify_cert_error_string(verdict);
    ERR_clear_error();
    return true;
}

void Channel::say(std::string_view clear) {
    if (over_ || clear.empty()) return;
    ERR_clear_error();
    std::size_t written = 0;
    SSL_write_ex(line_.get(), clear.data(), clear.size(), &written);
}

void Channel::close() {
    if (!over_ && open_) SSL_shutdown(line_.get());
}

std::string Channel::take() {
    BIO* out = SSL_get_wbio(line_.get());
    std::string sealed(BIO_ctrl_pending(out), '\0');
    std::size_t size = 0;
    if (!sealed.empty()) BIO_read_ex(out, sealed.data(), sealed.size(), &size);
    sealed.resize(size);
    return sealed;
}

std::string Channel::peer_name() const {
    const X509* certificate = open_ ? SSL_get0_peer_certificate(line_.get()) : nullptr;
    return certificate == nullptr ? "" : name_in(certificate);
}

}  // namespace sy::tls
