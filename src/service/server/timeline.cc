#include "service/server/timeline.h"

#include <algorithm>

namespace sy::server {

namespace {

constexpr std::size_t kMostName = 60;
constexpr std::uint32_t kRecordsAtOnce = 1'000;

/// Its name, or of a command what it is.
std::string name_for(const TaskRecord& record) {
    if (!record.name.empty() || !record.work.model.empty()) return record.name;
    std::string text;
    for (const std::string& word : record.work.argv) {
        if (text.size() >= kMostName) break;
        text += (text.empty() ? "" : " ") + word;
    }
    if (text.size() > kMostName) text = text.substr(0, kMostName - 3) + "...";
    return text;
}

std::int64_t load_of(const AttemptRecord& attempt) {
    return static_cast<std::int64_t>(attempt.details.load_us + attempt.details.wake_us);
}

/// How an attempt went that the change puts an end to.
const char* state_after(const TaskChange& change) {
    switch (change.what) {
        case TaskChange::What::voided: return "void";
        case TaskChange::What::preempted: return "preempted";
        case TaskChange::What::requeued: return name_of(change.came_to);
        default: return name_of(change.after);
    }
}

/// Of an attempt in a record: only the last one's end is the task's.
const char* state_of(const TaskRecord& record, std::size_t index) {
    const AttemptRecord& attempt = record.attempts[index];
    if (index + 1 == record.attempts.size() && has_ended(record.state)) return name_of(record.state);
    if (attempt.ended == 0) return "running";
    return attempt.note.empty() ? "failed" : "void";
}

}  // namespace

void Timeline::see(const Change& change) {
    const auto* task = std::get_if<TaskChange>(&change.what);
    if (task == nullptr) return;
    switch (task->what) {
        case TaskChange::What::accepted:
        case TaskChange::What::preempting: return;
        case TaskChange::What::started: return open(*task, change.wall);
        case TaskChange::What::recalled: {
            const auto found = running_.find(task->task.value());
            if (found == running_.end()) return;
            if (Bar* bar = at(found->second)) bar->withdrawn = true;
            running_.erase(found);
            return;
        }
        case TaskChange::What::voided:
        case TaskChange::What::preempted:
        case TaskChange::What::requeued:
        case TaskChange::What::ended: return close(*task, change.wall);
    }
}

void Timeline::open(const TaskChange& change, WallTime wall) {
    Bar bar{
        .task = change.task, .attempt = change.attempt, .gpus = change.gpus, .start = wall, .model = {}, .name = {}};
    if (const TaskRecord* record = world_.peek(change.task)) {
        bar.model = record->work.model;
        bar.name = name_for(*record);
    }
    running_[change.task.value()] = end_of_bars();
    add(std::move(bar));
}

/// The oldest goes where there are too many.
void Timeline::add(Bar bar) {
    bars_.push_back(std::move(bar));
    log(end_of_bars() - 1);
    if (bars_.size() <= limits_.kept) return;
    bars_.pop_front();
    ++first_;
}

void Timeline::log(std::uint64_t number) {
    log_.push_back(number);
    if (log_.size() <= 2 * limits_.kept) return;
    log_.pop_front();
    ++log_first_;
}

Timeline::Bar* Timeline::at(std::uint64_t number) {
    return number < first_ || number >= end_of_bars() ? nullptr : &bars_[number - first_];
}

void Timeline::close(const TaskChange& change, WallTime wall) {
    const TaskRecord* record = world_.peek(change.task);
    const auto found = running_.find(change.task.value());
    if (found != running_.end()) {
        const std::uint64_t number = found->second;
        running_.erase(found);
        if (Bar* bar = at(number)) {
            settle(*bar, record, state_after(change), wall);
            log(number);
        }
        return;
    }
    // It waited, or began in an earlier life.
    if (record == nullptr || record->attempts.empty() || record->attempts.back().started >= life_) return;
    const auto attempt = static_cast<std::uint32_t>(record->attempts.size());
    if (record->attempts.back().ended != 0 && record->attempts.back().ended < life_) return;
    if (!carried_.emplace(change.task, attempt).second) return;
    Bar bar{.task = change.task,
            .attempt = attempt,
            .gpus = record->attempts.back().gpus,
            .start = record->attempts.back().started,
            .model = record->work.model,
            .name = name_for(*record)};
    settle(bar, record, state_after(change), wall);
    add(std::move(bar));
}

/// A call that was handed out ahead of time began when the one before it on its GPU had ended.
void Timeline::settle(Bar& bar, const TaskRecord* record, const char* state, WallTime end) {
    bar.state = state;
    bar.end = end;
    if (record != nullptr && bar.attempt > 0 && bar.attempt <= record->attempts.size()) {
        const AttemptRecord& attempt = record->attempts[bar.attempt - 1];
        bar.load_us = load_of(attempt);
        if (attempt.ended != 0) bar.end = attempt.ended;
    }
    if (last_end_.size() < bar.gpus.end().value()) last_end_.resize(bar.gpus.end().value());
    WallTime& last = last_end_[bar.gpus.lead().value()];
    bar.start = std::min(std::max(bar.start, last), bar.end);
    for (GpuId gpu = bar.gpus.first; gpu < bar.gpus.end(); gpu = gpu.next()) last_end_[gpu.value()] = bar.end;
}

/// Attempts of earlier lives, in front of all others. Their numbers are smaller.
void Timeline::recall() {
    recalled_ = true;
    std::vector<Bar> earlier;
    TaskId before(std::uint64_t{1} << 62U);
    for (std::size_t read = 0; read < limits_.recalled; read += kRecordsAtOnce) {
        const auto records = world_.records(before, kRecordsAtOnce);
        for (const auto& [task, record] : records)
            for (std::size_t i = 0; i < record.attempts.size(); ++i) {
                const AttemptRecord& attempt = record.attempts[i];
                const auto number = static_cast<std::uint32_t>(i + 1);
                if (attempt.started == 0 || attempt.started >= life_ || carried_.contains({task, number})) continue;
                earlier.push_back({.task = task,
                                   .attempt = number,
                                   .gpus = attempt.gpus,
                                   .start = attempt.started,
                                   .end = attempt.ended,
                                   .load_us = load_of(attempt),
                                   .state = state_of(record, i),
                                   .model = record.work.model,
                                   .name = name_for(record)});
            }
        if (records.size() < kRecordsAtOnce) break;
        before = records.back().first;
    }
    std::sort(earlier.begin(), earlier.end(), [](const Bar& a, const Bar& b) {
        return std::tie(a.start, a.task, a.attempt) > std::tie(b.start, b.task, b.attempt);
    });
    for (Bar& bar : earlier) {
        if (bars_.size() >= limits_.kept) break;
        bars_.push_front(std::move(bar));
        --first_;
        if (bars_.front().end == 0) running_.emplace(bars_.front().task.value(), first_);
    }
}

}  // namespace sy::server
