// Timeline: what ran on each GPU lately, attempt by attempt, for people who look back.
//
// It is told of every change once that is durable, and keeps the latest attempts. What ran in earlier lives of the
// service is read from the records when somebody first looks, as far as a few thousand of them reach. Every answer
// ends with a cursor; sent back, it brings what has changed since. On the loop's thread alone.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "service/http/message.h"
#include "service/server/change.h"
#include "service/server/record.h"

namespace sy::server {

struct TimelineLimits {
    std::size_t kept = 100'000;    ///< Attempts.
    std::size_t recalled = 5'000;  ///< Records that are read for those of earlier lives.
};

class Timeline {
public:
    struct World {
        /// What is in memory of a task's record.
        std::function<const TaskRecord*(TaskId)> peek;
        /// Whether it has begun, and does not only stand behind another on its GPU.
        std::function<bool(TaskId)> has_begun;
        /// At most so many records of tasks before that one, the latest first.
        std::function<std::vector<std::pair<TaskId, TaskRecord>>(TaskId before, std::uint32_t most)> records;
    };

    /// `life`: when this one began; not that of an earlier server.
    Timeline(WallTime life, World world, TimelineLimits limits = {})
        : life_(life), world_(std::move(world)), limits_(limits) {}

    void see(const Change& change);
    /// What GET /api/v1/timeline answers: the latest, those after a cursor, or those before one.
    http::Response answer(const http::Request& request);
    std::size_t size() const { return bars_.size(); }

private:
    struct Bar {
        TaskId task;
        std::uint32_t attempt = 0;
        GpuSpan gpus;
        WallTime start = 0;
        WallTime end = 0;  ///< 0: it runs.
        std::int64_t load_us = 0;
        const char* state = "running";
        std::string model;
        std::string name;
        bool withdrawn = false;  ///< It was called back before it began.
    };
    struct Wish {
        std::size_t limit = 0;
        std::optional<std::uint64_t> after;   ///< A number in the log.
        std::optional<std::uint64_t> before;  ///< A bar's number.
        WallTime from = 0;
        WallTime to = 0;  ///< 0: no end.
        bool is_reset = false;
    };
    class Writing;

    void open(const TaskChange& change, WallTime wall);
    void close(const TaskChange& change, WallTime wall);
    void add(Bar bar);
    void settle(Bar& bar, const TaskRecord* record, const char* state, WallTime end);
    void log(std::uint64_t number);
    void recall();
    Bar* at(std::uint64_t number);
    Result<Wish> read(const http::Request& request) const;
    bool is_shown(const Bar& bar, const Wish& wish) const;
    std::uint64_t end_of_bars() const { return first_ + bars_.size(); }
    std::uint64_t end_of_log() const { return log_first_ + log_.size(); }

    WallTime life_;
    World world_;
    TimelineLimits limits_;
    std::deque<Bar> bars_;                           ///< In the order in which they started.
    std::uint64_t first_ = std::uint64_t{1} << 32U;  ///< The number of the first of them.
    std::deque<std::uint64_t> log_;                  ///< The numbers of bars, once for every change.
    std::uint64_t log_first_ = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> running_;  ///< By task: the bar.
    std::vector<WallTime> last_end_;                            ///< By GPU.
    bool recalled_ = false;
    std::set<std::pair<TaskId, std::uint32_t>> carried_;  ///< Attempts of earlier lives that ended in this one.
};

}  // namespace sy::server
