// Account: somebody whom this machine knows, as the system has it.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace sy::process {

struct Account {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;  ///< All of them.
    std::string home;
};

/// An error where nobody has that name.
Result<Account> find_account(const std::string& name);

/// A folder of ours becomes theirs, and closed to others.
void hand_over(const std::string& folder, const std::string& account);

/// The number itself, where it has no name.
std::string account_name(uid_t uid);

}  // namespace sy::process
