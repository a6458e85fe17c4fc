#include "service/store/redis_batch.h"

#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/compile.h>

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
    bool has(TaskId task) const { return places_.contains(task.value()); }

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
    std::vector<const Record*> fresh;  ///< Of tasks that had none.
    std::vector<const Record*> known;
    std::vector<const Record*> dead;
    std::vector<std::pair<TaskId, std::uint64_t>> queued;  ///< With the score.
    std::vector<TaskId> left;
    std::size_t keys = 0;
    std::size_t names = 0;
};

Result<void> sort_records(const LastRecords& records, TaskId newest, Parts& parts) {
    for (const Record* record : records.all()) {
        if (record->task.value() >= kLargestExact) return too_large(record->task.value());
        (record->task > newest ? parts.fresh : parts.known).push_back(record);
        if (record->shelf == Shelf::dead) parts.dead.push_back(record);
    }
    return {};
}

/// Who came and left within the batch was never seen in the queue.
Result<void> sort_places(const LastPlaces& places, const LastRecords& records, TaskId newest, Parts& parts) {
    for (const auto& [task, queued] : places.all()) {
        if (!queued) {
            if (task <= newest || !records.has(task)) parts.left.push_back(task);
            continue;
        }
        const auto score = queue_score(queued->priority_class, queued->sequence);
        if (!score) return too_large(queued->sequence);
        parts.queued.emplace_back(task, *score);
    }
    return {};
}

Result<Parts> parts_of(const std::vector<Group>& groups, TaskId newest) {
    Parts parts;
    LastRecords records;
    LastPlaces places;
    for (const Group& group : groups) {
        for (const Record& record : group.records) records.add(record);
        places.add(group);
        parts.keys += group.keys.size();
        parts.names += group.names.size();
    }
    if (const auto sorted = sort_records(records, newest, parts); !sorted) return tl::unexpected(sorted.error());
    if (const auto sorted = sort_places(places, records, newest, parts); !sorted) return tl::unexpected(sorted.error());
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
    for (const auto* records : {&parts.fresh, &parts.known})
        for (const Record* record : *records) command.add(record->task.value()).add(head_of(*record), record->bytes);
    for (const Record* record : parts.dead) command.add(record->task.value()).add(record->task.value());
    for (const Group& group : groups)
        for (const Key& key : group.keys) command.add(key.task.value()).add(key.word);
    for (const Group& group : groups)
        for (const std::string& name : group.names) command.add(name);
    for (const auto& [task, score] : parts.queued) command.add(score).add(task.value());
    for (const TaskId task : parts.left) command.add(task.value());
}

}  // namespace

Result<Batch> batch_of(const std::vector<Group>& groups, const BatchBase& base, const RedisKeys& keys,
                       const Scripts& scripts) {
    const auto parts = parts_of(groups, base.newest);
    if (!parts) return tl::unexpected(parts.error());
    Batch batch{base.end, base.end, scripts.call(Script::commit, 9)};
    redis::Command& command = batch.command;
    for (const std::string* key : {&keys.meta, &keys.fence, &keys.journal, &keys.records, &keys.tasks, &keys.dead,
                                   &keys.words, &keys.names, &keys.queue})
        command.add(*key);
    command.add(base.term.value()).add(base.end.last + 1);
    for (const std::size_t count :
         {2 * groups.size(), 2 * parts->fresh.size(), 2 * parts->known.size(), 2 * parts->dead.size(), 2 * parts->keys,
          parts->names, 2 * parts->queued.size(), parts->left.size()})
        command.add(count);
    batch.end = add_journals(command, groups, base.end);
    add_rest(command, groups, *parts);
    return batch;
}

std::string head_of(const Record& record) {
    return fmt::format(FMT_COMPILE("{} {}\n"), record.ended, record.shelf == Shelf::dead ? kOnDeadShelf : kOnNoShelf);
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
