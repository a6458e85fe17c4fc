// Certificates: an authority that a test makes for itself, and what it signs. Nothing of it outlives the test's folder.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

namespace sy::service_test {

class Authority {
public:
    /// Writes its files there: NAME.pem and NAME.key, its own under the name "ca".
    explicit Authority(std::string folder) : folder_(std::move(folder)), key_(new_key()) {
        certificate_ = sign("Test authority", key_.get(), "CA:TRUE", "", 3600);
        write_certificate("ca", certificate_.get());
    }

    std::string file() const { return folder_ + "/ca.pem"; }

    /// `names`: "IP:127.0.0.1" or "DNS:…"; empty for a client. It is good for so many seconds from now.
    void issue(const std::string& name, const std::string& common_name, const std::string& names,
               long seconds = 3600) const {
        const Key key = new_key();
        const Certificate certificate = sign(common_name, key.get(), "CA:FALSE", names, seconds);
        write_certificate(name, certificate.get());
        const std::string path = folder_ + "/" + name + ".key";
        std::FILE* file = std::fopen(path.c_str(), "w");
        PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
        ::chmod(path.c_str(), 0600);
    }

private:
    template <auto Free>
    struct With {
        template <class T>
        void operator()(T* thing) const {
            Free(thing);
        }
    };
    using Key = std::unique_ptr<EVP_PKEY, With<EVP_PKEY_free>>;
    using Certificate = std::unique_ptr<X509, With<X509_free>>;

    static Key new_key() { return Key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")); }

    Certificate sign(const std::string& common_name, EVP_PKEY* key, const std::string& constraint,
                     const std::string& names, long seconds) const {
        Certificate certificate(X509_new());
        X509* x = certificate.get();
        X509_set_version(x, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(x), ++serial_);
        X509_gmtime_adj(X509_getm_notBefore(x), -7200);
        X509_gmtime_adj(X509_getm_notAfter(x), seconds);
        X509_set_pubkey(x, key);
        const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
        X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_UTF8, text, -1, -1, 0);
        X509_set_issuer_name(x, certificate_ ? X509_get_subject_name(certificate_.get()) : X509_get_subject_name(x));
        extend(x, NID_basic_constraints, constraint);
        if (!names.empty()) extend(x, NID_subject_alt_name, names);
        X509_sign(x, key_.get(), EVP_sha256());
        return certificate;
    }
    static void extend(X509* certificate, int what, const std::string& value) {
        X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
        X509_add_ext(certificate, extension, -1);
        X509_EXTENSION_free(extension);
    }
    void write_certificate(const std::string& name, X509* certificate) const {
        std::FILE* file = std::fopen((folder_ + "/" + name + ".pem").c_str(), "w");
        PEM_write_X509(file, certificate);
        std::fclose(file);
    }

    std::string folder_;
    Key key_;
    Certificate certificate_;
    mutable long serial_ = 0;
};

}  // namespace sy::service_test
