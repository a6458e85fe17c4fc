// Problem: of several servers exactly one may write, and it must be replaced soon after it dies.
//
// Choice: a lease alone is not enough. A server that slept through its lease (a stopped process, a paused machine)
// still believes that it leads; no clock it could look at helps, because it may be stopped between the look and the
// write. So each leader gets a greater number than all before it, Redis keeps the greatest, and every script that
// writes compares in the same step in which it writes (redis_scripts.cc). The lease only decides when somebody else may
// try.
//
// The number is Redis's time in microseconds, or one more than the last where that is not less. A mere count would
// begin again where Redis was flushed or an old file was put in its place, and then a leader from before could not tell
// "I am deposed" from "Redis has forgotten me", which ask for opposite deeds: to stop, and to write again what is
// missing. Milliseconds, as older programs counted, are too coarse: two leaders on either side of a flush had the same.
// Microseconds are exact in Lua's doubles until the year 2255.
//
// What remains: a store that went back may lack groups that only the leader still has in memory. A standby that took
// over at once would build on the gap. So a standby does not lead a store behind what it has seen, and nobody leads one
// whose Redis was started less than a lease ago, unless its last leader had left in good order. And a server does not
// lead a store behind what it wrote itself, as its folder says (written_mark.h), for as long as nobody else has led it.
#include "service/store/leadership.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "service/store/redis_check.h"

namespace sy::store {

namespace {

constexpr Duration kShortestLease = 100ms;

std::string milliseconds(Duration d) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(d).count());
}

}  // namespace

Result<Leadership> Leadership::open(const RedisPlace& place, Candidate candidate) {
    if (candidate.lease < kShortestLease)
        return fail(Fault::usage, "a lease is at least 100 ms long", "name a longer one");
    const Duration part = candidate.lease / 3;  // an answer that comes later is of no use
    auto connection = redis::Connection::open(
        place.address, {std::min(place.patience.connect, part), std::min(place.patience.answer, part), part});
    if (!connection) return tl::unexpected(connection.error());
    if (const auto state = check_redis(*connection, place); !state) return tl::unexpected(state.error());
    auto scripts = Scripts::load(*connection);
    if (!scripts) return tl::unexpected(scripts.error());
    return Leadership(place, std::move(candidate), std::move(*connection), std::move(*scripts));
}

Leadership::Leadership(RedisPlace place, Candidate candidate, redis::Connection connection, Scripts scripts)
    : place_(std::move(place)),
      candidate_(std::move(candidate)),
      keys_(place_.prefix),
      connection_(std::move(connection)),
      scripts_(std::move(scripts)) {}

Result<Try> Leadership::take(const Seen& seen, const Seen& written) {
    const auto state = check_redis(connection_, place_);
    if (!state) return tl::unexpected(state.error());
    const bool early = state->up <= candidate_.lease;
    const auto answer =
        run(Script::take, {candidate_.address, milliseconds(candidate_.lease), std::to_string(seen.term.value()),
                           std::to_string(seen.last), early ? "1" : "0", std::to_string(kRedisFormat), "switchyard",
                           std::to_string(written.term.value()), std::to_string(written.last)});
    if (!answer) return tl::unexpected(answer.error());
    const std::string_view word = (*answer)[0].text();
    if (word == "led") return Try::led;
    if (word == "behind") return Try::behind;
    if (word == "gap") return Try::gap;
    if (word == "early") return Try::early;
    term_ = Term(static_cast<std::uint64_t>((*answer)[1].number().value_or(0)));
    return Try::taken;
}

Result<Reign> Leadership::renew() {
    auto answer =
        run(Script::renew, {std::to_string(term_.value()), candidate_.address, milliseconds(candidate_.lease)});
    if (!answer && connection_.trouble() == redis::Trouble::cannot_write)
        answer = run(Script::confirm, {std::to_string(term_.value())});
    if (!answer) return tl::unexpected(answer.error());
    switch (verdict_in(*answer).kind) {
        case Verdict::Kind::done: return Reign::ours;
        case Verdict::Kind::behind: return Reign::forgotten;
        case Verdict::Kind::deposed:
        case Verdict::Kind::unfinished:
        case Verdict::Kind::other: break;
    }
    return Reign::deposed;
}

Result<void> Leadership::give_up() {
    if (term_ == Term{}) return {};
    const auto answer = run(Script::give_up, {std::to_string(term_.value())});
    if (!answer) return tl::unexpected(answer.error());
    term_ = Term{};
    return {};
}

Result<std::optional<Leader>> Leadership::who_leads() {
    std::vector<redis::Command> questions;
    questions.emplace_back("GET", keys_.leader);
    questions.emplace_back("PTTL", keys_.leader);
    const auto answers = connection_.ask_again(questions);
    if (!answers) return tl::unexpected(answers.error());
    const std::string_view text = (*answers)[0].text();
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    return Leader{Term(std::strtoull(std::string(text.substr(0, space)).c_str(), nullptr, 10)),
                  std::string(text.substr(space + 1)),
                  std::chrono::milliseconds(std::max<std::int64_t>((*answers)[1].number().value_or(0), 0))};
}

Result<redis::Reply> Leadership::run(Script script, const std::vector<std::string>& arguments) {
    redis::Command command = scripts_.call(script, 3);
    command.add(keys_.meta).add(keys_.fence).add(keys_.leader);
    for (const std::string& argument : arguments) command.add(argument);
    auto reply = connection_.ask_again(command);
    if (reply || connection_.trouble() != redis::Trouble::no_script) return reply;
    if (const auto loaded = Scripts::load(connection_); !loaded) return tl::unexpected(loaded.error());
    return connection_.ask_again(command);
}

}  // namespace sy::store
