// Gate: who asks, and whether they may. Every request passes it, whatever it is about.
//
// Over the socket in the service's folder the kernel says who asks: the service's own user and root may do everything,
// nobody else anything. Over TCP a token says it. Where there is no file of tokens, TCP is open to whoever reaches it,
// which is why the service then listens on the loopback only, or asks for certificates, which then say who it is; once
// a file was there, it stays closed without one.
//
// On the loop's thread alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "service/auth/failures.h"
#include "service/auth/role.h"
#include "service/auth/token_file.h"
#include "service/http/message.h"

namespace sy::auth {

/// Somebody we know.
struct Caller {
    Role role = Role::read;
    std::string who;    ///< "uid 1000", "token 3f… (anna)": for the audit log.
    std::string owner;  ///< On whose account; empty: nobody in particular.

    /// Whether work may be handed in on this user's account.
    bool may_act_for(const std::string& user) const { return role == Role::admin || user == owner; }
};

struct GateOptions {
    std::string tokens_file;
    bool tokens_needed = false;           ///< Even before the file is there.
    std::uint32_t uid = 0;                ///< The service's.
    Role of_certificates = Role::submit;  ///< Without tokens: of whoever shows a certificate.
    std::function<Instant()> clock;
    std::function<UnixTime()> wall;
    std::function<void(const std::string&)> say;
};

class Gate {
public:
    explicit Gate(GateOptions options) : options_(std::move(options)) {}

    /// Who it is, or the answer for one whom we do not know.
    std::variant<Caller, http::Response> identify(const http::Request& request);
    /// The answer for one who may not.
    static std::optional<http::Response> why_not(const Caller& caller, Role needed);
    /// Whether who asks so may do what needs that role.
    bool lets(const http::Request& request, Role needed);
    bool needs_tokens() const { return tokens_needed_; }

private:
    /// Tells one version of a file from the next.
    struct Version {
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        std::uint64_t inode = 0;
        std::int64_t size = 0;
        friend bool operator==(const Version&, const Version&) = default;
    };

    void look_at_file();
    const std::string& name_of_uid(std::uint32_t uid);
    http::Response unknown(const http::Request& request, const std::string& message);

    GateOptions options_;
    bool tokens_needed_ = options_.tokens_needed;
    std::optional<Version> version_;
    std::vector<TokenRecord> tokens_;
    Failures failures_;
    std::map<std::uint32_t, std::string> names_;  ///< Of uids that asked: our own and root's.
};

}  // namespace sy::auth
