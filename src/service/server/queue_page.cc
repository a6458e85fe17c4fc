#include "service/server/queue_page.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/model/describe.h"
#include "service/server/task_json.h"
#include "service/server/waiting_reason.h"
#include "service/server/wall_text.h"

namespace sy::server {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExpectedBy =
    "the line in its order on the GPUs in service; lengths as owners say (estimate_s), else as calls of the model took "
    "lately; loads as measured. null: one of them is not known. A bound: then or sooner";

std::string lowered(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

/// Words that must all be found. Names are looked up once each: many tasks share one.
class Search {
public:
    Search(const Names& names, const std::string& text) : names_(names) {
        std::string word;
        for (const char c : lowered(text) + " ") {
            if (c != ' ') word += c;
            if (c == ' ' && !word.empty()) words_.push_back({std::exchange(word, ""), {}});
        }
    }

    bool finds(TaskId id, const TaskSpec& spec) {
        return std::all_of(words_.begin(), words_.end(), [&](Word& word) {
            return is_number(word.text, id) || is_in(word, spec.name) || is_in(word, spec.user) ||
                   is_in(word, spec.model);
        });
    }
    /// Where a number alone is sought.
    std::optional<TaskId> number() const {
        if (words_.size() != 1) return std::nullopt;
        const std::string_view text = digits(words_.front().text);
        std::uint64_t number = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
        return TaskId(number);
    }

private:
    struct Word {
        std::string text;
        std::unordered_map<std::uint32_t, bool> known;
    };

    static std::string_view digits(std::string_view text) { return text.starts_with('#') ? text.substr(1) : text; }
    static bool is_number(std::string_view word, TaskId id) { return digits(word) == std::to_string(id.value()); }

    bool is_in(Word& word, NameId name) const {
        if (name == NameId{}) return false;
        const auto [found, is_new] = word.known.try_emplace(name.value(), false);
        if (is_new) found->second = lowered(names_.text_of(name)).find(word.text) != std::string::npos;
        return found->second;
    }

    const Names& names_;
    std::vector<Word> words_;
};

class Page {
public:
    Page(Engine& engine, const control::Forecast& forecast, Duration age, const QueueWish& wish)
        : engine_(engine),
          core_(engine.core()),
          forecast_(forecast),
          age_(age),
          wish_(wish),
          model_(engine.names().find(wish.model)),
          search_(engine.names(), wish.search) {}

    Json read() {
        const QueueCursor& from = wish_.after;
        const bool is_first = from.part == QueueCursor::Part::running && from.gpu == GpuId{} && from.skip == 0;
        if (sought_ = search_.number(); is_first && sought_) look_at(*sought_);
        if (from.part == QueueCursor::Part::running) walk_running(from);
        if (!next_ && from.part != QueueCursor::Part::held)
            walk_line(from.part == QueueCursor::Part::line ? from.place : kBeforeAll);
        if (!next_) walk_held(from.part == QueueCursor::Part::held ? from.task : TaskId{});
        return {{"tasks", std::move(rows_)},   {"next", next_ ? Json(text_of(*next_)) : Json(nullptr)},
                {"looked_at", looked_},        {"queued", core_.waiting_count()},
                {"held", core_.held_count()},  {"running", core_.running_count()},
                {"paused", core_.is_paused()}, {"expected_by", kExpectedBy}};
    }

private:
    static constexpr queue::Place kBeforeAll{std::numeric_limits<queue::Rank>::min(), 0, TaskId{}};

    bool wants(Waits state) const { return !wish_.state || *wish_.state == state; }
    bool is_full() const { return rows_.size() >= wish_.limit || looked_ >= kMostLooks; }

    static Waits state_of(const Task& task) {
        if (task.state == TaskState::waiting) return Waits::queued;
        if (task.state != TaskState::held) return Waits::running;
        return task.needs > 0 ? Waits::blocked : Waits::delayed;
    }

    bool matches(TaskId id, const Task& task) {
        if (wish_.level && task.spec.level != *wish_.level) return false;
        if (!wish_.model.empty() && (model_ == NameId{} || task.spec.model != model_)) return false;
        return search_.finds(id, task.spec);
    }

    void look_at(TaskId id) {
        const Task* task = core_.find(id);
        if (task == nullptr || !wants(state_of(*task)) || !matches(id, *task)) return;
        const bool waits = task->state == TaskState::waiting;
        add(id, *task, waits ? std::optional(core_.scheduler().position(id)) : std::nullopt);
    }

    void meet(TaskId id, std::optional<std::uint64_t> position) {
        ++looked_;
        const Task& task = *core_.find(id);
        if (id != sought_ && matches(id, task)) add(id, task, position);
    }

    void walk_running(const QueueCursor& from) {
        if (!wants(Waits::running)) return;
        std::size_t skip = from.skip;
        for (GpuId gpu = from.gpu; core_.ledger().knows(gpu); gpu = gpu.next()) {
            const auto holder = core_.ledger().holder(gpu);
            std::size_t here = 0;
            const auto pass = [&](TaskId id) {
                if (is_full()) {
                    next_ = QueueCursor{.gpu = gpu, .skip = here};
                    return false;
                }
                if (here++ >= skip) meet(id, std::nullopt);
                return true;
            };
            if (holder && core_.find(*holder)->span.lead() == gpu && !pass(*holder)) return;
            for (const TaskId id : core_.succession().behind(gpu))
                if (!pass(id)) return;
            skip = 0;
        }
    }

    void walk_line(const queue::Place& from) {
        if (!wants(Waits::queued)) return;
        std::optional<std::uint64_t> position;
        queue::Place last = from;
        core_.scheduler().for_each_behind(from, [&](const queue::Place& place) {
            if (is_full()) {
                next_ = QueueCursor{.part = QueueCursor::Part::line, .place = last};
                return false;
            }
            position = position ? *position + 1 : core_.scheduler().position(place.task);
            meet(place.task, position);
            last = place;
            return true;
        });
    }

    void walk_held(TaskId from) {
        if (!wants(Waits::blocked) && !wants(Waits::delayed)) return;
        for (auto id = core_.held().upper_bound(from); id != core_.held().end(); ++id) {
            if (is_full()) {
                next_ = QueueCursor{.part = QueueCursor::Part::held, .task = from};
                return;
            }
            from = *id;
            if (wants(state_of(*core_.find(*id)))) {
                meet(*id, std::nullopt);
            } else {
                ++looked_;
            }
        }
    }

    void add(TaskId id, const Task& task, std::optional<std::uint64_t> position) {
        const auto record = engine_.record(id);
        if (!record || !*record) return;
        const TaskRecord& known = **record;
        Json row{{"id", id.value()},
                 {"name", known.name},
                 {"user", known.user},
                 {"model", known.work.model.empty() ? Json(nullptr) : Json(known.work.model)},
                 {"command", known.work.argv},
                 {"priority", name_of(task.spec.level)},
                 {"state", state_text(known, &task)},
                 {"position", position ? Json(*position) : Json(nullptr)},
                 {"reason", reason(id, task, known, position)},
                 {"gpus", task.spec.demand.gpus},
                 {"submitted", time_text(known.submitted)}};
        const auto start = forecast_.start_of(id);
        const bool told = start && task.state == TaskState::waiting;
        row["expected_start_s"] = told ? Json(to_seconds(std::max(start->in - age_, Duration::zero()))) : Json(nullptr);
        if (told && start->is_bound) row["expected_start_is_bound"] = true;
        rows_.push_back(std::move(row));
    }

    std::string reason(TaskId id, const Task& task, const TaskRecord& record, std::optional<std::uint64_t> position) {
        if (state_of(task) == Waits::running) return reason_of_running(id, task);
        control::Explanation why{.task = id, .paused = core_.starts_nothing(), .cleared = core_.cleared_for(id)};
        if (task.state == TaskState::held) {
            why.held = std::max(task.since - core_.now(), Duration::zero());
            for (const Need& need : record.after)
                if (core_.find(need.task) != nullptr) why.needs.push_back(need.task);
            return waiting_reason(why);
        }
        why.position = position.value_or(0);
        if (why.position > 0) why.first_in_line = core_.scheduler().first_in_line();
        const Stand& stand = stand_of(task.spec.demand);
        why.gpus = stand.gpus;
        why.nowhere = stand.nowhere;
        return waiting_reason(why);
    }

    std::string reason_of_running(TaskId id, const Task& task) const {
        const auto holder = core_.ledger().holder(task.span.lead());
        if (!holder || *holder == id) return "";
        return fmt::format("handed to gpu{} ahead of time, behind #{}", task.span.lead().value(), holder->value());
    }

    /// How the GPUs stand to those who ask for the same. They are many: that is found out once.
    struct Stand {
        place::Survey gpus;
        Reason nowhere;
    };
    const Stand& stand_of(const Demand& demand) {
        const auto known = stands_.find(demand);
        if (known != stands_.end()) return known->second;
        const Stand stand{place::survey(core_.ledger(), demand), core_.why_on_no_known_node(demand)};
        return stands_.emplace(demand, stand).first->second;
    }

    Engine& engine_;
    const control::Core& core_;
    const control::Forecast& forecast_;
    Duration age_;
    const QueueWish& wish_;
    NameId model_;
    Search search_;
    std::optional<TaskId> sought_;
    std::map<Demand, Stand> stands_;
    Json rows_ = Json::array();
    std::size_t looked_ = 0;
    std::optional<QueueCursor> next_;
};

}  // namespace

Json queue_page(Engine& engine, const control::Forecast& forecast, Duration forecast_age, const QueueWish& wish) {
    return Page(engine, forecast, forecast_age, wish).read();
}

}  // namespace sy::server
