#include "service/process/account.h"

#include <array>

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace sy::process {

namespace {

using Room = std::array<char, 16384>;

constexpr int kMostGroups = 1024;

}  // namespace

Result<Account> find_account(const std::string& name) {
    Room room{};
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwnam_r(name.c_str(), &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
        return fail(Fault::invalid_input, fmt::format("nobody on this machine is called '{}'", name));
    Account account{name, entry.pw_uid, entry.pw_gid, std::vector<gid_t>(kMostGroups), entry.pw_dir};
    int count = kMostGroups;
    if (::getgrouplist(name.c_str(), entry.pw_gid, account.groups.data(), &count) < 0)
        return fail(Fault::failed, fmt::format("{} is in more than {} groups", name, kMostGroups));
    account.groups.resize(static_cast<std::size_t>(count));
    return account;
}

void hand_over(const std::string& folder, const std::string& account) {
    const auto found = find_account(account);
    if (!found) return;  // nothing will run as them either
    static_cast<void>(!::lchown(folder.c_str(), found->uid, found->gid));
}

std::string account_name(uid_t uid) {
    Room room{};
    passwd entry{};
    passwd* found = nullptr;
    const bool known = ::getpwuid_r(uid, &entry, room.data(), room.size(), &found) == 0 && found != nullptr;
    return known ? entry.pw_name : std::to_string(uid);
}

}  // namespace sy::process
