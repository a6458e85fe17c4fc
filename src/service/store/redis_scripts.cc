#include "service/store/redis_scripts.h"

#include <algorithm>
#include <string_view>

namespace sy::store {

namespace {

// Redis turns a script without allow-oom away before its first line when memory is short, and every one of these on a
// replica: none of them ever stops half way.

/// KEYS: meta, fence, … ARGV: the term, …
constexpr std::string_view kFence = R"lua(
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
local fence = redis.call('GET', KEYS[2])
if fence ~= ARGV[1] then
    if fence and tonumber(fence) > tonumber(ARGV[1]) then return {'deposed', last} end
    return {'behind', last}
end
)lua";

/// KEYS: meta, fence, journal, records, tasks, dead, keys, names, queue.
/// ARGV: the term, the first group's number, how many arguments each of the eight parts has, and these: journal and
/// digest of each group; records of new tasks; records of others; dead; keys; names; queued; left. No call may have
/// more arguments than Lua can unpack. Whether "others" are all known is seen by what HSET says: those that were
/// forgotten meanwhile are put among the tasks again. An argument costs Redis more than what is done with it here.
constexpr std::string_view kCommit = R"lua(
local first, groups = tonumber(ARGV[2]), tonumber(ARGV[3]) / 2
if last == first + groups - 1 then return {'done', last} end
if last ~= first - 1 then return {last < first and 'behind' or 'other', last} end
local call, at = redis.call, 11
for group = first, first + groups - 1 do
    call('XADD', KEYS[3], string.format('%.0f-0', group), 'journal', ARGV[at], 'digest', ARGV[at + 1])
    at = at + 2
end
local function each(command, key, list, first, count)
    local sum = 0
    for start = first, first + count - 1, 4000 do
        sum = sum + call(command, key, unpack(list, start, math.min(start + 3999, first + count - 1)))
    end
    return sum
end
local function part(number, command, key)
    local count = tonumber(ARGV[number])
    each(command, key, ARGV, at, count)
    at = at + count
end
local any_dead = call('EXISTS', KEYS[6]) == 1
for number = 4, 5 do
    local count = tonumber(ARGV[number])
    local added = each('HSET', KEYS[4], ARGV, at, count)
    if any_dead or added > 0 then
        local tasks = {}
        for i = 1, count, 2 do
            tasks[i], tasks[i + 1] = ARGV[at + i - 1], ARGV[at + i - 1]
        end
        if any_dead then each('ZREM', KEYS[6], tasks, 1, count) end
        if added > 0 then each('ZADD', KEYS[5], tasks, 1, count) end
    end
    at = at + count
end
part(6, 'ZADD', KEYS[6])
for word = at, at + tonumber(ARGV[7]) - 1, 2 do call('ZADD', KEYS[7], 'NX', ARGV[word], ARGV[word + 1]) end
at = at + tonumber(ARGV[7])
part(8, 'RPUSH', KEYS[8])
part(9, 'ZADD', KEYS[9])
part(10, 'ZREM', KEYS[9])
last = first + groups - 1
call('HSET', KEYS[1], 'last', string.format('%.0f', last))
return {'done', last}
)lua";

/// KEYS: meta, fence, the next snapshot. ARGV: the term, the part's number from 0 on, its bytes.
/// Whoever led before may have left some of one.
constexpr std::string_view kKeepPart = R"lua(
if ARGV[2] == '0' then redis.call('DEL', KEYS[3]) end
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
return {'done', last}
)lua";

/// KEYS: meta, fence, snapshot, the one before, journal, the next one.
/// ARGV: the term, the last group it covers, the digest up to there, its own digest, how many parts it has.
/// The snapshot before stays with the journal after it: a standby may be reading it, and if the new one cannot be read,
/// all is not lost.
constexpr std::string_view kKeepSnapshot = R"lua(
if last < tonumber(ARGV[2]) then return {'behind', last} end
local covers = redis.call('HGET', KEYS[3], 'covers')
if covers == ARGV[2] and redis.call('EXISTS', KEYS[6]) == 0 then return {'done', last} end
for part = 0, tonumber(ARGV[5]) - 1 do
    if redis.call('HEXISTS', KEYS[6], part) == 0 then return {'unfinished', last} end
end
redis.call('HSET', KEYS[6], 'covers', ARGV[2], 'journal', ARGV[3], 'digest', ARGV[4], 'parts', ARGV[5])
if covers and covers ~= ARGV[2] then redis.call('RENAME', KEYS[3], KEYS[4]) end
redis.call('RENAME', KEYS[6], KEYS[3])
local before = redis.call('HGET', KEYS[4], 'covers')
if before then
    redis.call('XTRIM', KEYS[5], 'MINID', '~', string.format('%.0f-0', tonumber(before) + 1), 'LIMIT', 0)
end
return {'done', last}
)lua";

/// KEYS: meta, fence, records, tasks, dead, keys, queue. ARGV: the term, and the tasks.
constexpr std::string_view kForget = R"lua(
for start = 2, #ARGV, 4000 do
    local stop = math.min(start + 3999, #ARGV)
    redis.call('HDEL', KEYS[3], unpack(ARGV, start, stop))
    for _, key in ipairs({KEYS[4], KEYS[5], KEYS[7]}) do redis.call('ZREM', key, unpack(ARGV, start, stop)) end
end
for task = 2, #ARGV do redis.call('ZREMRANGEBYSCORE', KEYS[6], ARGV[task], ARGV[task]) end
return {'done', last}
)lua";

/// For a leader whom Redis has forgotten. KEYS: meta, fence. ARGV: the term, format, made by.
constexpr std::string_view kReassert = R"lua(
local fence = redis.call('GET', KEYS[2])
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
if fence and tonumber(fence) > tonumber(ARGV[1]) then return {'deposed', last} end
redis.call('SET', KEYS[2], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], 'format', ARGV[2], 'made_by', ARGV[3], 'last', 0) end
redis.call('HSET', KEYS[1], 'led', ARGV[1])
return {'done', last}
)lua";

/// KEYS: meta, fence, leader. ARGV: address, lease in ms, the last term and the last group that the candidate has seen,
/// whether Redis has only just been started, format, made by, the last term and the last group that the candidate wrote
/// itself. Where another has led since, that one answers for what this one wrote.
///
/// A term is the time in us, or one more than the term before where that is not less. So it is greater than any before
/// even where Redis was emptied or has gone back to an older state, and does not know them.
constexpr std::string_view kTake = R"lua(
if redis.call('EXISTS', KEYS[3]) == 1 then return {'led', 0} end
local fence = tonumber(redis.call('GET', KEYS[2]) or '0')
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
local written = tonumber(ARGV[8])
if fence < written or (fence == written and last < tonumber(ARGV[9])) then return {'gap', last} end
if fence < tonumber(ARGV[3]) or last < tonumber(ARGV[4]) then return {'behind', last} end
if ARGV[5] == '1' and redis.call('HEXISTS', KEYS[1], 'led') == 1 then return {'early', last} end
local time = redis.call('TIME')
local term = string.format('%.0f', math.max(fence + 1, time[1] * 1000000 + time[2]))
redis.call('SET', KEYS[2], term)
redis.call('SET', KEYS[3], term .. ' ' .. ARGV[1], 'PX', ARGV[2])
if redis.call('HEXISTS', KEYS[1], 'format') == 0 then
    redis.call('HSET', KEYS[1], 'format', ARGV[6], 'made_by', ARGV[7], 'last', 0)
end
redis.call('HSET', KEYS[1], 'led', term)
return {'taken', tonumber(term)}
)lua";

/// KEYS: meta, fence, leader. ARGV: the term, address, lease in ms.
constexpr std::string_view kRenew = R"lua(
redis.call('SET', KEYS[3], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return {'done', last}
)lua";

/// KEYS: meta, fence. ARGV: the term. It writes nothing, so that Redis answers also where its memory or its disk is
/// full.
constexpr std::string_view kConfirm = R"lua(
return {'done', last}
)lua";

/// KEYS: meta, fence, leader. ARGV: the term.
constexpr std::string_view kGiveUp = R"lua(
redis.call('DEL', KEYS[3])
redis.call('HDEL', KEYS[1], 'led')
return {'done', last}
)lua";

/// KEYS: meta, fence, documents. ARGV: the term, name, text.
constexpr std::string_view kKeepDocument = R"lua(
redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
return {'done', last}
)lua";

std::string text_of(Script script) {
    const std::string strict = "#!lua";
    const std::string always = "#!lua flags=allow-oom";
    const std::string reading = "#!lua flags=no-writes,allow-oom";
    const std::string fence(kFence);
    switch (script) {
        case Script::commit: return strict + fence + std::string(kCommit);
        case Script::keep_part: return strict + fence + std::string(kKeepPart);
        case Script::keep_snapshot: return strict + fence + std::string(kKeepSnapshot);
        case Script::forget: return always + fence + std::string(kForget);
        case Script::reassert: return always + std::string(kReassert);
        case Script::take: return always + std::string(kTake);
        case Script::renew: return always + fence + std::string(kRenew);
        case Script::confirm: return reading + fence + std::string(kConfirm);
        case Script::give_up: return always + fence + std::string(kGiveUp);
        case Script::keep_document: return strict + fence + std::string(kKeepDocument);
    }
    return "";
}

}  // namespace

Result<Scripts> Scripts::load(redis::Connection& connection) {
    std::vector<redis::Command> loads;
    for (std::size_t i = 0; i < kScripts; ++i) loads.emplace_back("SCRIPT", "LOAD", text_of(static_cast<Script>(i)));
    const auto digests = connection.ask_again(loads);
    if (!digests) return tl::unexpected(digests.error());
    Scripts scripts;
    for (std::size_t i = 0; i < kScripts; ++i) scripts.digests_[i] = std::string((*digests)[i].text());
    return scripts;
}

redis::Command Scripts::call(Script script, std::uint32_t keys) const {
    return redis::Command("EVALSHA", digests_[static_cast<std::size_t>(script)], keys);
}

Verdict verdict_in(const redis::Value& answer) {
    Verdict verdict;
    const std::string_view word = answer[0].text();
    if (word == "done") verdict.kind = Verdict::Kind::done;
    if (word == "deposed") verdict.kind = Verdict::Kind::deposed;
    if (word == "behind") verdict.kind = Verdict::Kind::behind;
    if (word == "unfinished") verdict.kind = Verdict::Kind::unfinished;
    verdict.last = static_cast<std::uint64_t>(std::max<std::int64_t>(answer[1].number().value_or(0), 0));
    return verdict;
}

}  // namespace sy::store
