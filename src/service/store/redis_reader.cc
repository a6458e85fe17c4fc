#include "service/store/redis_reader.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "service/store/redis_batch.h"

namespace sy::store {

namespace {

constexpr std::uint32_t kNamesAtOnce = 10'000;

class RedisReader final : public Reader {
public:
    RedisReader(redis::Connection connection, const RedisPlace& place)
        : connection_(std::move(connection)), keys_(place.prefix) {}

    Result<std::optional<std::string>> find(TaskId task) override {
        const auto records = read_records(connection_, keys_, {task});
        if (!records) return tl::unexpected(records.error());
        if (records->empty()) return std::nullopt;
        return records->front().bytes;
    }

    Result<std::vector<std::optional<std::string>>> find_all(const std::vector<TaskId>& tasks) override {
        auto records = read_records(connection_, keys_, tasks);
        if (!records) return tl::unexpected(records.error());
        std::vector<std::optional<std::string>> found(tasks.size());
        for (std::size_t i = 0, next = 0; i < tasks.size() && next < records->size(); ++i)
            if ((*records)[next].task == tasks[i]) found[i] = std::move((*records)[next++].bytes);
        return found;
    }

    Result<std::vector<Record>> before(TaskId task, std::uint32_t most) override {
        return listed(keys_.tasks, task, most);
    }

    Result<std::vector<Record>> on_shelf(Shelf shelf, TaskId before, std::uint32_t most) override {
        if (shelf == Shelf::none) return std::vector<Record>{};
        return listed(keys_.dead, before, most);
    }

    Result<std::optional<TaskId>> find_key(const std::string& word) override {
        const auto task = connection_.ask_again(redis::Command("ZSCORE", keys_.words, word));
        if (!task) return tl::unexpected(task.error());
        const auto number = task->number();
        if (!number) return std::nullopt;
        return TaskId(static_cast<std::uint64_t>(*number));
    }

private:
    Result<std::vector<Record>> listed(const std::string& key, TaskId before, std::uint32_t most) {
        const auto tasks = read_tasks(connection_, redis::Command("ZRANGE", key, fmt::format("({}", before.value()),
                                                                  "-inf", "BYSCORE", "REV", "LIMIT", 0, most));
        if (!tasks) return tl::unexpected(tasks.error());
        return read_records(connection_, keys_, *tasks);
    }

    redis::Connection connection_;
    RedisKeys keys_;
};

tl::unexpected<Error> damaged(const redis::Connection& connection, const std::string& what) {
    return fail(Fault::failed, fmt::format("{}: {}", shown(connection.address()), what),
                "restore the files of Redis from a copy; do not delete them, they may hold the only record");
}

/// "17-0" is 17.
std::uint64_t group_number(std::string_view id) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
    return error == std::errc{} && std::string_view(end, static_cast<std::size_t>(id.data() + id.size() - end)) == "-0"
               ? number
               : 0;
}

std::string_view field(const redis::Value& entry, std::string_view name) {
    for (std::size_t i = 0; i + 1 < entry.size(); i += 2)
        if (entry[i].text() == name) return entry[i + 1].text();
    return {};
}

std::uint64_t number_in(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool is(std::uint64_t digest, std::string_view digits) {
    return digits == std::to_string(digest);
}

/// One that was put in its place meanwhile has other parts; the digest tells. Older programs wrote the whole of it.
Result<std::string> read_parts(redis::Connection& connection, const std::string& key, const redis::Value& count) {
    std::string state;
    const std::uint64_t parts = count.is_nothing() ? 1 : number_in(count.text());
    for (std::uint64_t part = 0; part < parts; ++part) {
        const std::string name = count.is_nothing() ? "state" : std::to_string(part);
        const auto found = connection.ask_again(redis::Command("HGET", key, name));
        if (!found) return tl::unexpected(found.error());
        if (found->is_nothing()) break;
        state += found->text();
    }
    return state;
}

}  // namespace

Result<std::unique_ptr<Reader>> open_redis_reader(const RedisPlace& place) {
    auto connection = redis::Connection::open(place.address, place.patience);
    if (!connection) return tl::unexpected(connection.error());
    return std::make_unique<RedisReader>(std::move(*connection), place);
}

Result<std::vector<Record>> read_records(redis::Connection& connection, const RedisKeys& keys,
                                         const std::vector<TaskId>& tasks) {
    std::vector<Record> records;
    if (tasks.empty()) return records;
    redis::Command command("HMGET", keys.records);
    for (const TaskId task : tasks) command.add(task.value());
    const auto found = connection.ask_again(command);
    if (!found) return tl::unexpected(found.error());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        if ((*found)[i].is_nothing()) continue;
        auto record = unpacked(tasks[i], (*found)[i].text());
        if (!record) return damaged(connection, fmt::format("the record of task {} is damaged", tasks[i].value()));
        records.push_back(std::move(*record));
    }
    return records;
}

Result<std::vector<TaskId>> read_tasks(redis::Connection& connection, redis::Command command) {
    const auto found = connection.ask_again(command);
    if (!found) return tl::unexpected(found.error());
    std::vector<TaskId> tasks;
    for (std::size_t i = 0; i < found->size(); ++i)
        tasks.emplace_back(static_cast<std::uint64_t>((*found)[i].number().value_or(0)));
    return tasks;
}

Result<ReadJournal> read_journal(redis::Connection& connection, const RedisKeys& keys, JournalEnd after,
                                 std::uint32_t most, Duration patience) {
    const std::string from = fmt::format("{}-0", after.last);
    redis::Command command("XREAD", "COUNT", most);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(patience);
    if (wait.count() > 0) command.add("BLOCK").add(wait.count());
    command.add("STREAMS").add(keys.journal).add(from);
    const auto found = connection.ask_again(command, wait);
    if (!found) return tl::unexpected(found.error());
    const redis::Value entries = (*found)[0][1];
    ReadJournal read{.end = after};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const redis::Value content = entries[i][1];
        const std::string_view journal = field(content, "journal");
        read.end = read.end.with(journal);
        if (group_number(entries[i][0].text()) != read.end.last || !is(read.end.digest, field(content, "digest")))
            return damaged(connection, fmt::format("the journal is damaged at group {}, or not the one that was read "
                                                   "before",
                                                   read.end.last));
        read.journals.emplace_back(journal);
    }
    return read;
}

Result<ReadSnapshot> read_snapshot(redis::Connection& connection, const RedisKeys& keys) {
    bool is_any = false;
    for (const std::string* key : {&keys.snapshot, &keys.earlier_snapshot}) {
        const auto found = connection.ask_again(redis::Command("HMGET", *key, "covers", "journal", "digest", "parts"));
        if (!found) return tl::unexpected(found.error());
        if ((*found)[0].is_nothing()) continue;
        is_any = true;
        auto state = read_parts(connection, *key, (*found)[3]);
        if (!state) return tl::unexpected(state.error());
        if (is(digest_of(*state), (*found)[2].text()))
            return ReadSnapshot{{number_in((*found)[0].text()), number_in((*found)[1].text())}, std::move(*state)};
    }
    if (is_any) return damaged(connection, "the snapshot is damaged, and the one before it too");
    return ReadSnapshot{};
}

Result<std::vector<std::string>> read_names(redis::Connection& connection, const RedisKeys& keys, std::size_t from) {
    std::vector<std::string> names;
    for (;;) {
        const std::size_t first = from + names.size();
        const auto found = connection.ask_again(redis::Command("LRANGE", keys.names, first, first + kNamesAtOnce - 1));
        if (!found) return tl::unexpected(found.error());
        for (std::size_t i = 0; i < found->size(); ++i) names.emplace_back((*found)[i].text());
        if (found->size() < kNamesAtOnce) return names;
    }
}

}  // namespace sy::store
