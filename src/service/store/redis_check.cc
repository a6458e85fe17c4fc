#include "service/store/redis_check.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace sy::store {

namespace {

constexpr std::size_t kLongestPrefix = 64;

/// What Redis says of itself.
class Facts {
public:
    static Result<Facts> ask(redis::Connection& connection) {
        const auto reply = connection.ask_again(redis::Command("INFO"));
        if (!reply) return tl::unexpected(reply.error());
        return Facts("\n" + std::string(reply->text()));
    }

    std::string_view text(std::string_view name) const {
        const std::size_t at = all_.find(fmt::format("\n{}:", name));
        if (at == std::string::npos) return {};
        const std::string_view rest = std::string_view(all_).substr(at + name.size() + 2);
        return rest.substr(0, rest.find_first_of("\r\n"));
    }
    std::uint64_t number(std::string_view name) const {
        const std::string_view digits = text(name);
        std::uint64_t number = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return number;
    }

private:
    explicit Facts(std::string all) : all_(std::move(all)) {}

    std::string all_;
};

bool is_prefix(const std::string& text) {
    constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    return !text.empty() && text.size() <= kLongestPrefix && text.find_first_not_of(kAllowed) == std::string::npos;
}

tl::unexpected<Error> foreign(const RedisPlace& place, const std::string& what) {
    return fail(
        Fault::failed,
        fmt::format("{} holds keys under {{{}}}: that are not ours: {}", shown(place.address), place.prefix, what),
        "choose another prefix or another database; nothing was changed there");
}

Result<void> check_server(const Facts& facts, const RedisPlace& place) {
    if (facts.text("role") == "slave")
        return fail(Fault::failed,
                    fmt::format("{} is a read-only replica of {}:{}", shown(place.address), facts.text("master_host"),
                                facts.text("master_port")),
                    "name the primary");
    const std::string_view policy = facts.text("maxmemory_policy");
    if (facts.number("maxmemory") > 0 && policy != "noeviction")
        return fail(Fault::failed,
                    fmt::format("{} throws keys away when its memory is full (maxmemory-policy {}): work would be lost",
                                shown(place.address), policy),
                    "set maxmemory-policy to noeviction");
    return {};
}

/// Nothing of ours is there; is there something else?
Result<void> check_nothing_else(redis::Connection& connection, const RedisPlace& place, const RedisKeys& keys) {
    std::string cursor = "0";
    do {
        const auto found = connection.ask_again(
            redis::Command("SCAN", cursor, "MATCH", keys.before + "*", "COUNT", std::uint64_t{10'000}));
        if (!found) return tl::unexpected(found.error());
        if ((*found)[1].size() > 0) return foreign(place, std::string((*found)[1][0].text()));
        cursor = std::string((*found)[0].text());
    } while (cursor != "0");
    return {};
}

Result<void> check_types(redis::Connection& connection, const RedisPlace& place, const RedisKeys& keys) {
    std::vector<redis::Command> questions;
    const auto types = keys.types();
    for (const auto& [key, type] : types) questions.emplace_back("TYPE", key);
    const auto answers = connection.ask_again(questions);
    if (!answers) return tl::unexpected(answers.error());
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::string_view type = (*answers)[i].text();
        if (type != "none" && type != types[i].second)
            return foreign(place, fmt::format("{} is a {}", types[i].first, type));
    }
    return {};
}

}  // namespace

Result<RedisState> check_redis(redis::Connection& connection, const RedisPlace& place) {
    if (!is_prefix(place.prefix))
        return fail(Fault::usage, fmt::format("'{}' is no prefix for keys", place.prefix),
                    "use letters, digits, '_', '.' and '-', at most 64 of them");
    const RedisKeys keys(place.prefix);
    const auto facts = Facts::ask(connection);
    if (!facts) return tl::unexpected(facts.error());
    if (const auto fine = check_server(*facts, place); !fine) return tl::unexpected(fine.error());
    if (const auto fine = check_types(connection, place, keys); !fine) return tl::unexpected(fine.error());
    RedisState state{.up = std::chrono::seconds(facts->number("uptime_in_seconds"))};
    const auto meta = connection.ask_again(redis::Command("HMGET", keys.meta, "format", "made_by", "last"));
    if (!meta) return tl::unexpected(meta.error());
    if ((*meta)[0].is_nothing() && (*meta)[1].is_nothing() && (*meta)[2].is_nothing()) {
        if (const auto fine = check_nothing_else(connection, place, keys); !fine) return tl::unexpected(fine.error());
        return state;
    }
    const auto format = (*meta)[0].number();
    const auto last = (*meta)[2].number();
    if (!format || !last || *last < 0) return foreign(place, keys.meta);
    if (*format != static_cast<std::int64_t>(kRedisFormat))
        return fail(Fault::failed,
                    fmt::format("the store {} in {} has format {} (made by {}), this program writes {}", place.prefix,
                                shown(place.address), *format, (*meta)[1].text(), kRedisFormat),
                    "use the version that wrote it");
    state.empty = false;
    state.last = static_cast<std::uint64_t>(*last);
    return state;
}

Result<std::vector<std::string>> durability_warnings(redis::Connection& connection) {
    const auto facts = Facts::ask(connection);
    if (!facts) return tl::unexpected(facts.error());
    std::vector<std::string> warnings;
    if (facts->number("aof_enabled") == 0) {
        warnings.emplace_back(
            "Redis would lose acknowledged work on a crash: it writes no append-only file (set appendonly yes and "
            "appendfsync always)");
    } else {
        const auto sync = connection.ask(redis::Command("CONFIG", "GET", "appendfsync"));
        const std::string how(sync ? (*sync)[1].text() : "");
        if (!sync && connection.trouble() != redis::Trouble::not_allowed &&
            connection.trouble() != redis::Trouble::other)
            return tl::unexpected(sync.error());
        if (how == "everysec")
            warnings.emplace_back(
                "Redis would lose acknowledged work on a crash: up to two seconds of it (appendfsync everysec; set it "
                "to "
                "always)");
        if (how == "no")
            warnings.emplace_back(
                "Redis would lose acknowledged work on a crash: it leaves writing to the system, often for half a "
                "minute "
                "(appendfsync no; set it to always)");
        if (how.empty())
            warnings.emplace_back("Redis does not say how often it writes to disk (CONFIG GET appendfsync)");
    }
    if (facts->text("aof_last_write_status") == "err")
        warnings.emplace_back("Redis could not write its append-only file: look at its log and its disk");
    if (facts->text("maxmemory_policy") != "noeviction")
        warnings.emplace_back(
            fmt::format("Redis would throw keys away once it has a memory limit (maxmemory-policy {}; set "
                        "it to noeviction)",
                        facts->text("maxmemory_policy")));
    return warnings;
}

}  // namespace sy::store
