// QueuePage: who runs, who stands in line and who is held back, in that order, a page at a time.
//
// A page costs what it shows and what is looked at for a search, never the whole line: after kMostLooks tasks it ends,
// full or not, and says where to go on.
#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/control/forecast.h"
#include "service/server/engine.h"

namespace sy::server {

inline constexpr std::size_t kMostLooks = 10'000;
inline constexpr std::size_t kMostOnAPage = 500;

/// What a task in the queue may be.
enum class Waits : std::uint8_t { running, queued, blocked, delayed };

/// Where a page begins: behind this one.
struct QueueCursor {
    enum class Part : std::uint8_t { running, line, held };
    Part part = Part::running;
    GpuId gpu;             ///< Of those that run: from this GPU on,
    std::size_t skip = 0;  ///< less so many there.
    queue::Place place;    ///< Of the line.
    TaskId task;           ///< Of those held back.
};
std::string text_of(const QueueCursor& cursor);
std::optional<QueueCursor> cursor_in(const std::string& text);

struct QueueWish {
    std::size_t limit = 100;
    QueueCursor after;
    std::optional<Waits> state;
    std::optional<Level> level;
    std::string model;
    std::string search;  ///< Words that must all be found in number, name, user or model.
};
/// An error names the field, its value and the rule.
Result<QueueWish> read_queue_wish(const std::map<std::string, std::string>& query);

/// What GET /api/v1/queue/tasks answers. `forecast_age`: how long ago it was made.
nlohmann::ordered_json queue_page(Engine& engine, const control::Forecast& forecast, Duration forecast_age,
                                  const QueueWish& wish);

}  // namespace sy::server
