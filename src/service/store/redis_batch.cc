#include "service/store/redis_batch.h"

#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "service/store/queue_score.h"

namespace sy::store {

namespace {

/// Scores are doubles, and Lua's numbers too.
constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53U;

constexpr std::string_view kOnNoShelf = "-";
constexpr std::string_view kOnDeadShelf = "dead";

/// The last version of each, in the order in which they were first named.
class LastRecords {
public:
    void add(const Record& record) {
        const auto [place, is_new] = places_.emplace(record.task.value(), all_.size());
        if (is_new) {
            all_.push_back(&record);
        } else {
            all_[place->second] = &record;
        }
    }
    const std::vector<const Record*>& all() const { return all_; }

private:
    std::unordered_map<std::uint64_t, std::size_t> places_;
    std::vector<const Record*> all_;
};

/// Where each task came to stand, or that it left.
class LastPlaces {
public:
    void add(const Group& group) {
        for (const Queued& queued : group.queued) put(queued.task, queued);
        for (const TaskId task : group.left) put(task, std::nullopt);
    }
    const std::vector<std::pair<TaskId, std::optional<Queued>>>& all() const { return all_; }

private:
    void put(TaskId task, std::optional<Queued> queued) {
        const auto [place, is_new] = places_.emplace(task.value(), all_.size());
        if (is_new) {
            all_.emplace_back(task, queued);
        } else {
            all_[place->second].second = queued;
        }
    }

    std::unordered_map<std::uint64_t, std::size_t> places_;
    std::vector<std::pair<TaskId, std::optional<Queued>>> all_;
};

tl::unexpected<Error> too_large(std::uint64_t number) {
    return fail(Fault::failed, fmt::format("{} is too large to be kept exactly by Redis", number));
}

struct Parts {
    LastRecords records;
    LastPlaces places;
    std::size_t dead = 0;
    std::size_t keys = 0;
    std::size_t names = 0;
    std::size_t queued = 0;
    std::size_t left = 0;
};

Result<Parts> parts_of(const std::vector<Group>& groups) {
    Parts parts;
    for (const Group& group : groups) {
        for (const Record& record : group.records) parts.records.add(record);
        parts.places.add(group);
        parts.keys += group.keys.size();
        parts.names += group.names.size();
    }
    for (const Record* record : parts.records.all()) {
        if (record->task.value() >= kLargestExact) return too_large(record->task.value());
        if (record->shelf == Shelf::dead) ++parts.dead;
    }
    for (const auto& [task, queued] : parts.places.all()) {
        if (queued && !queue_score(queued->priority_class, queued->sequence)) return too_large(queued->sequence);
        ++(queued ? parts.queued : parts.left);
    }
    return parts;
}

JournalEnd add_journals(redis::Command& command, const std::vector<Group>& groups, JournalEnd end) {
    for (const Group& group : groups) {
        end = end.with(group.journal);
        command.add(group.journal).add(end.digest);
    }
    return end;
}

void add_rest(redis::Command& command, const std::vector<Group>& groups, const Parts& parts) {
    for (const Record* record : parts.records.all()) command.add(record->task.value()).add(packed(*record));
    for (const Record* record : parts.records.all()) command.add(record->task.value()).add(record->task.value());
    for (const Record* record : parts.records.all())
        if (record->shelf == Shelf::dead) command.add(record->task.value()).add(record->task.value());
    for (const Group& group : groups)
        for (const Key& key : group.keys) command.add(key.task.value()).add(key.word);
    for (const Group& group : groups)
        for (const std::string& name : group.names) command.add(name);
    for (const auto& [task, queued] : parts.places.all())
        if (queued) command.add(*queue_score(queued->priority_class, queued->sequence)).add(task.value());
    for (const auto& [task, queued] : parts.places.all())
        if (!queued) command.add(task.value());
}

}  // namespace

Result<Batch> batch_of(const std::vector<Group>& groups, JournalEnd begin, Term term, const RedisKeys& keys,
                       const Scripts& scripts) {
    const auto parts = parts_of(groups);
    if (!parts) return tl::unexpected(parts.error());
    Batch batch{begin, begin, scripts.call(Script::commit, 9)};
    redis::Command& command = batch.command;
    for (const std::string* key : {&keys.meta, &keys.fence, &keys.journal, &keys.records, &keys.tasks, &keys.dead,
                                   &keys.words, &keys.names, &keys.queue})
        command.add(*key);
    const std::size_t records = parts->records.all().size();
    command.add(term.value()).add(begin.last + 1);
    for (const std::size_t count : {2 * groups.size(), 2 * records, 2 * records, 2 * parts->dead, 2 * parts->keys,
                                    parts->names, 2 * parts->queued, parts->left})
        command.add(count);
    batch.end = add_journals(command, groups, begin);
    add_rest(command, groups, *parts);
    return batch;
}

std::string packed(const Record& record) {
    return fmt::format("{} {}\n{}", record.ended, record.shelf == Shelf::dead ? kOnDeadShelf : kOnNoShelf,
                       record.bytes);
}

std::optional<Record> unpacked(TaskId task, std::string_view packed) {
    const std::size_t space = packed.find(' ');
    const std::size_t line = packed.find('\n');
    if (space == std::string_view::npos || line == std::string_view::npos || line < space) return std::nullopt;
    Record record{task, std::string(packed.substr(line + 1))};
    const auto [end, error] = std::from_chars(packed.data(), packed.data() + space, record.ended);
    if (error != std::errc{} || end != packed.data() + space) return std::nullopt;
    const std::string_view shelf = packed.substr(space + 1, line - space - 1);
    if (shelf != kOnDeadShelf && shelf != kOnNoShelf) return std::nullopt;
    record.shelf = shelf == kOnDeadShelf ? Shelf::dead : Shelf::none;
    return record;
}

}  // namespace sy::store
