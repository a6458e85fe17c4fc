#include "service/auth/token_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/document.h"
#include "service/auth/hex.h"
#include "service/auth/sha256.h"
#include "service/store/whole_file.h"

namespace sy::auth {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const TokenRecord& record) {
    const auto time = [](const std::optional<UnixTime>& t) { return t ? Json(*t) : Json(nullptr); };
    return {{"id", record.id},           {"role", name_of(record.role)},    {"owner", record.owner},
            {"created", record.created}, {"expires", time(record.expires)}, {"revoked", time(record.revoked)},
            {"sha256", record.sha256}};
}

TokenRecord from_json(const Json& json) {
    const auto time = [&](const char* key) {
        return json.at(key).is_null() ? std::nullopt : std::optional(json.at(key).get<UnixTime>());
    };
    const auto role = role_named(json.at("role").get<std::string>());
    TokenRecord record{.id = json.at("id"),
                       .role = role.value_or(Role::read),
                       .owner = json.at("owner"),
                       .created = json.at("created"),
                       .expires = time("expires"),
                       .revoked = time("revoked"),
                       .sha256 = json.at("sha256")};
    if (!role || record.sha256.size() != 64) throw std::invalid_argument("role or hash");
    return record;
}

Result<void> write(const std::string& path, const std::vector<TokenRecord>& records) {
    Json list = Json::array();
    for (const TokenRecord& record : records) list.push_back(to_json(record));
    return store::write_whole(path, Json{{"tokens", list}}.dump(2) + "\n");
}

/// Only one changes the file at a time.
class Turn {
public:
    explicit Turn(const std::string& path)
        : file_(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        if (file_ >= 0) ::flock(file_, LOCK_EX);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        if (file_ >= 0) ::close(file_);
    }

private:
    int file_;
};

template <std::size_t size>
Result<std::string> random_hex() {
    std::array<unsigned char, size> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail(Fault::failed, fmt::format("the system gives no random bytes: {}", ::strerrordesc_np(errno)));
    return hex_of(bytes);
}

bool is_missing(const std::string& path) {
    return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

bool is_name(const std::string& owner) {
    return !owner.empty() && owner.size() <= kMostOwner &&
           std::all_of(owner.begin(), owner.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

Result<std::vector<TokenRecord>> read_tokens(const std::string& path) {
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && (there.st_mode & 077U) != 0)
        return fail(Fault::failed, fmt::format("{} can be read by others", path), fmt::format("chmod 600 {}", path));
    const auto text = input::read_text(path);
    if (!text) return tl::unexpected(text.error());
    std::vector<TokenRecord> records;
    try {
        const Json file = Json::parse(*text);
        for (const Json& json : file.at("tokens")) records.push_back(from_json(json));
    } catch (const std::exception&) {
        return fail(Fault::invalid_input, fmt::format("{} is no file of tokens", path),
                    "name the file that 'switchyard token create' has made");
    }
    return records;
}

Result<NewToken> create_token(const std::string& path, Role role, const std::string& owner, UnixTime now,
                              std::optional<UnixTime> expires) {
    if (!is_name(owner))
        return fail(Fault::usage, fmt::format("the owner must be 1 to {} plain characters", kMostOwner),
                    "for example --owner anna");
    const Turn turn(path);
    auto records = is_missing(path) ? Result<std::vector<TokenRecord>>{} : read_tokens(path);
    if (!records) return tl::unexpected(records.error());
    if (records->size() >= kMostTokens)
        return fail(Fault::failed, fmt::format("{} has {} tokens, the limit", path, kMostTokens),
                    "take out those that were revoked");
    const auto secret = random_hex<32>();
    const auto id = random_hex<6>();
    if (!secret || !id) return tl::unexpected(secret ? id.error() : secret.error());
    NewToken made{.token = "sy_" + *secret,
                  .record = {.id = *id, .role = role, .owner = owner, .created = now, .expires = expires}};
    made.record.sha256 = sha256_hex(made.token);
    records->push_back(made.record);
    if (const auto written = write(path, *records); !written) return tl::unexpected(written.error());
    return made;
}

Result<TokenRecord> revoke_token(const std::string& path, std::string_view id, UnixTime now) {
    const Turn turn(path);
    auto records = read_tokens(path);
    if (!records) return tl::unexpected(records.error());
    for (TokenRecord& record : *records) {
        if (record.id != id) continue;
        if (!record.revoked) record.revoked = now;
        if (const auto written = write(path, *records); !written) return tl::unexpected(written.error());
        return record;
    }
    return fail(Fault::invalid_input, fmt::format("there is no token {}", id), "'switchyard token list' shows them");
}

const TokenRecord* find_token(const std::vector<TokenRecord>& records, std::string_view token, UnixTime now) {
    const std::string hash = sha256_hex(token);
    const TokenRecord* found = nullptr;
    for (const TokenRecord& record : records)
        if (equal_in_constant_time(record.sha256, hash)) found = &record;
    return found != nullptr && found->is_good(now) ? found : nullptr;
}

}  // namespace sy::auth
