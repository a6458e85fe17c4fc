// Role: what somebody may do. Each may do all that those before it may, but for `work`, which stands apart: it is for
// hosts, and whoever may look or hand in must not be able to pass for one.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sy::auth {

enum class Role {
    work,     ///< Join as a host, carry out what is handed to it, and nothing else.
    read,     ///< Look at tasks, their output, the queue and the GPUs.
    submit,   ///< Hand tasks in and cancel them: run any command as the service's user.
    operate,  ///< Pause and resume; see the configuration.
    admin,    ///< Everything.
};

inline constexpr std::array kRoles{Role::work, Role::read, Role::submit, Role::operate, Role::admin};

constexpr const char* name_of(Role role) {
    switch (role) {
        case Role::work: return "work";
        case Role::read: return "read";
        case Role::submit: return "submit";
        case Role::operate: return "operate";
        case Role::admin: return "admin";
    }
    return "?";
}

constexpr std::optional<Role> role_named(std::string_view name) {
    for (const Role role : kRoles)
        if (name == name_of(role)) return role;
    return std::nullopt;
}

constexpr bool may(Role has, Role needed) {
    return needed == Role::work ? has == Role::work || has == Role::admin : has >= needed;
}

}  // namespace sy::auth
