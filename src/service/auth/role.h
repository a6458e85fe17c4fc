// Role: what somebody may do. Each may do all that those before it may.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace sy::auth {

enum class Role {
    read,     ///< Look at tasks, their output, the queue and the GPUs.
    submit,   ///< Hand tasks in and cancel them: run any command as the service's user.
    operate,  ///< Pause and resume; see the configuration.
    admin,    ///< Everything.
};

inline constexpr std::array kRoles{Role::read, Role::submit, Role::operate, Role::admin};

constexpr const char* name_of(Role role) {
    switch (role) {
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

}  // namespace sy::auth
