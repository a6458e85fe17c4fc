#include "service/store/redis_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "service/store/redis_check.h"
#include "service/store/redis_reader.h"

namespace sy::store {

namespace {

/// Redis answers nobody else while it puts an answer together.
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20U;
constexpr std::size_t kMostGroupsAtOnce = 1'000;
constexpr std::size_t kSnapshotPart = std::size_t{1} << 20U;
/// Redis may go back while it is given again what it lost; it will not do so without end.
constexpr int kMostTries = 5;

}  // namespace

Result<std::unique_ptr<RedisStore>> RedisStore::open(RedisPlace place, Bytes held_back) {
    auto connection = redis::Connection::open(place.address, place.patience);
    if (!connection) return tl::unexpected(connection.error());
    if (const auto state = check_redis(*connection, place); !state) return tl::unexpected(state.error());
    auto scripts = Scripts::load(*connection);
    if (!scripts) return tl::unexpected(scripts.error());
    return std::unique_ptr<RedisStore>(
        new RedisStore(std::move(place), held_back, std::move(*connection), std::move(*scripts)));
}

RedisStore::RedisStore(RedisPlace place, Bytes held_back, redis::Connection connection, Scripts scripts)
    : place_(std::move(place)),
      held_back_(held_back),
      keys_(place_.prefix),
      connection_(std::move(connection)),
      scripts_(std::move(scripts)) {}

Result<Recovered> RedisStore::recover() {
    auto snapshot = read_snapshot(connection_, keys_);
    if (!snapshot) return tl::unexpected(snapshot.error());
    end_ = snapshot->covers;
    auto journals = follow_to_end();
    if (!journals) return tl::unexpected(journals.error());
    auto names = read_names(connection_, keys_, 0);
    if (!names) return tl::unexpected(names.error());
    return Recovered{std::move(snapshot->state), std::move(*journals), std::move(*names)};
}

Result<std::vector<std::string>> RedisStore::follow_to_end() {
    const auto state = check_redis(connection_, place_);
    if (!state) return tl::unexpected(state.error());
    std::vector<std::string> journals;
    for (;;) {
        auto portion = follow(Duration(0));
        if (!portion) return tl::unexpected(portion.error());
        if (portion->empty()) break;
        std::move(portion->begin(), portion->end(), std::back_inserter(journals));
    }
    const auto newest =
        read_tasks(connection_, redis::Command("ZRANGE", keys_.tasks, "+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, 1));
    if (!newest) return tl::unexpected(newest.error());
    newest_ = newest->empty() ? TaskId{} : newest->front();
    if (end_.last >= state->last) return journals;
    return fail(Fault::failed,
                fmt::format("{}: the journal ends with group {} of {}", shown(place_.address), end_.last, state->last),
                "restore the files of Redis from a copy; do not delete them, they may hold the only record");
}

Result<std::vector<std::string>> RedisStore::follow(Duration patience) {
    auto read = read_journal(connection_, keys_, end_, groups_at_once_, patience);
    if (!read) return tl::unexpected(read.error());
    end_ = read->end;
    std::size_t bytes = 0;
    for (const std::string& journal : read->journals) bytes += journal.size();
    if (bytes > 0)
        groups_at_once_ = static_cast<std::uint32_t>(
            std::clamp<std::size_t>(kReadAtOnce * read->journals.size() / bytes, 1, kMostGroupsAtOnce));
    return std::move(read->journals);
}

Result<std::vector<std::string>> RedisStore::names_from(std::size_t place) {
    return read_names(connection_, keys_, place);
}

Result<std::vector<std::string>> RedisStore::warnings() {
    return durability_warnings(connection_);
}

Result<void> RedisStore::commit(const std::vector<Group>& groups) {
    if (groups.empty()) return {};
    auto batch = batch_of(groups, {end_, term_, newest_}, keys_, scripts_);
    if (!batch) return tl::unexpected(batch.error());
    if (auto done = write(batch->command); !done) return done;
    end_ = batch->end;
    if (mark_) mark_->write({term_, end_.last});
    for (const Group& group : groups)
        for (const Record& record : group.records) newest_ = std::max(newest_, record.task);
    hold(std::move(*batch));
    return {};
}

/// In parts, since Redis answers nobody else while it takes one in, and leases are short beside the time that a large
/// snapshot takes. A Redis that lost some of them meanwhile is given all of them again.
Result<void> RedisStore::keep_snapshot(const std::string& snapshot) {
    redis::Command whole = scripts_.call(Script::keep_snapshot, 6);
    for (const std::string* key :
         {&keys_.meta, &keys_.fence, &keys_.snapshot, &keys_.earlier_snapshot, &keys_.journal, &keys_.next_snapshot})
        whole.add(*key);
    const std::size_t parts = std::max<std::size_t>((snapshot.size() + kSnapshotPart - 1) / kSnapshotPart, 1);
    whole.add(term_.value()).add(end_.last).add(end_.digest).add(digest_of(snapshot)).add(parts);
    for (int i = 0; i < kMostTries; ++i) {
        for (std::size_t part = 0; part < parts; ++part)
            if (auto kept = keep_part(snapshot, part); !kept) return kept;
        const auto kind = settle(whole);
        if (!kind) return tl::unexpected(kind.error());
        if (*kind == Verdict::Kind::done) return {};
    }
    return goes_back();
}

Result<void> RedisStore::keep_part(std::string_view snapshot, std::size_t part) {
    redis::Command command = scripts_.call(Script::keep_part, 3);
    command.add(keys_.meta).add(keys_.fence).add(keys_.next_snapshot).add(term_.value()).add(part);
    command.add(snapshot.substr(part * kSnapshotPart, kSnapshotPart));
    return write(command);
}

Result<void> RedisStore::forget(const std::vector<TaskId>& tasks) {
    redis::Command command = scripts_.call(Script::forget, 7);
    command.add(keys_.meta).add(keys_.fence).add(keys_.records).add(keys_.tasks).add(keys_.dead);
    command.add(keys_.words).add(keys_.queue).add(term_.value());
    for (const TaskId task : tasks) command.add(task.value());
    return write(command);
}

/// Walks along the tasks instead of keeping them sorted by their end: they end much more often than somebody looks.
Result<Old> RedisStore::find_old(std::int64_t ended_before, TaskId after, std::uint32_t most) {
    const auto tasks = read_tasks(connection_, redis::Command("ZRANGE", keys_.tasks, fmt::format("({}", after.value()),
                                                              "+inf", "BYSCORE", "LIMIT", 0, most));
    note_trouble(!tasks);
    if (!tasks) return tl::unexpected(tasks.error());
    auto records = read_records(connection_, keys_, *tasks);
    note_trouble(!records);
    if (!records) return tl::unexpected(records.error());
    Old old;
    for (Record& record : *records)
        if (record.ended != 0 && record.ended < ended_before) old.records.push_back(std::move(record));
    if (tasks->size() == most) old.up_to = tasks->back();
    return old;
}

/// Somebody waits for what it finds, and all others wait meanwhile.
Result<std::unique_ptr<Reader>> RedisStore::reader() {
    RedisPlace place = place_;
    place.patience = {.connect = 500ms, .answer = 1s, .again = 200ms};
    return open_redis_reader(place);
}

Result<void> RedisStore::write(redis::Command& command) {
    return settle(command).map([](Verdict::Kind) {});
}

bool RedisStore::is_still_ours() {
    redis::Command command = scripts_.call(Script::confirm, 2);
    command.add(keys_.meta).add(keys_.fence).add(term_.value());
    return settle(command).has_value();
}

Result<Verdict::Kind> RedisStore::settle(redis::Command& command) {
    auto done = try_to_settle(command);
    note_trouble(!done);
    return done;
}

void RedisStore::note_trouble(bool failed) {
    const redis::Trouble trouble = failed ? connection_.trouble() : redis::Trouble::none;
    full_ = trouble == redis::Trouble::out_of_memory || trouble == redis::Trouble::cannot_write;
    away_ = redis::may_pass(trouble);
}

/// Until it is done once, or never will be, or cannot be done before something else is.
Result<Verdict::Kind> RedisStore::try_to_settle(redis::Command& command) {
    if (term_ == Term{}) return fail(Fault::failed, "only the leader may write to the store");
    for (int i = 0; i < kMostTries; ++i) {
        const auto verdict = run(command);
        if (!verdict) return tl::unexpected(verdict.error());
        switch (verdict->kind) {
            case Verdict::Kind::done:
            case Verdict::Kind::unfinished: return verdict->kind;
            case Verdict::Kind::deposed: return was_deposed();
            case Verdict::Kind::behind:
                if (const auto mended = give_again(); !mended) return tl::unexpected(mended.error());
                break;
            case Verdict::Kind::other:
                return fail(Fault::failed,
                            fmt::format("{} has group {} where {} should be the last", shown(place_.address),
                                        verdict->last, end_.last),
                            "does another program write under this prefix?");
        }
    }
    return goes_back();
}

/// A script that may be run again: it does nothing twice.
Result<Verdict> RedisStore::run(redis::Command& command) {
    auto reply = connection_.ask_again(command);
    if (!reply && connection_.trouble() == redis::Trouble::no_script) {
        if (const auto loaded = Scripts::load(connection_); !loaded) return tl::unexpected(loaded.error());
        reply = connection_.ask_again(command);
    }
    if (!reply) return tl::unexpected(reply.error());
    return verdict_in(*reply);
}

Result<void> RedisStore::give_again() {
    const auto last = reassert();
    if (!last) return tl::unexpected(last.error());
    return give_again_after(*last);
}

/// Tells Redis who leads and what this is, where it has forgotten that. The last group that it has.
Result<std::uint64_t> RedisStore::reassert() {
    if (const auto state = check_redis(connection_, place_); !state) return tl::unexpected(state.error());
    redis::Command command = scripts_.call(Script::reassert, 2);
    command.add(keys_.meta).add(keys_.fence).add(term_.value()).add(kRedisFormat).add("switchyard");
    const auto verdict = run(command);
    if (!verdict) return tl::unexpected(verdict.error());
    if (verdict->kind == Verdict::Kind::deposed) return was_deposed();
    return verdict->last;
}

Result<void> RedisStore::give_again_after(std::uint64_t last) {
    if (last >= end_.last) return {};
    auto from = std::find_if(held_.begin(), held_.end(), [&](const Batch& batch) { return batch.begin.last == last; });
    if (from == held_.end())
        return fail(
            Fault::failed,
            fmt::format("{} went back to group {} of {}, and only what came after group {} is still in memory",
                        shown(place_.address), last, end_.last, held_.empty() ? end_.last : held_.front().begin.last),
            "bring back the newest files of Redis and start again; until then nothing is accepted");
    for (; from != held_.end(); ++from) {
        const auto verdict = run(from->command);
        if (!verdict) return tl::unexpected(verdict.error());
        if (verdict->kind == Verdict::Kind::deposed) return was_deposed();
        if (verdict->kind != Verdict::Kind::done) return {};  // it went back once more: the next try finds how far
        given_again_ += from->end.last - from->begin.last;
    }
    return {};
}

void RedisStore::hold(Batch batch) {
    held_bytes_ += batch.command.size();
    held_.push_back(std::move(batch));
    for (; held_bytes_ > held_back_.value() && !held_.empty(); held_.pop_front())
        held_bytes_ -= held_.front().command.size();
}

tl::unexpected<Error> RedisStore::goes_back() const {
    return fail(Fault::failed, fmt::format("{} goes back to an older state again and again", shown(place_.address)));
}

tl::unexpected<Error> RedisStore::was_deposed() {
    deposed_ = true;
    return fail(
        Fault::failed,
        fmt::format("deposed: another server leads the store {} in {} now", place_.prefix, shown(place_.address)),
        "this one follows it, or ends");
}

}  // namespace sy::store
