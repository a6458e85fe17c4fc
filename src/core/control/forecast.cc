// Problem: a waiting task's owner asks when it will start. The scheduler itself only knows who starts now.
//
// Choice: the line is walked in its order, and each task is given the GPUs that are free soonest, those that hold its
// model first. A GPU is free when what runs there and what was handed to it ahead of time should have ended; it then
// stays so long as loading the model and the task take. A length that nobody knows makes the GPU's end unknown, and
// that is carried on. Left out: tasks that pass others which find no room (they only come sooner), preemption, and
// whoever comes later with a higher priority.
//
// Cost: tasks × GPUs, with at most kMostSteps of them: the forecast reaches as far as that allows.
#include "core/control/forecast.h"

#include <algorithm>

namespace sy::control {

namespace {

constexpr std::size_t kMostSteps = 2'000'000;
constexpr std::size_t kFarthest = 10'000;
constexpr std::size_t kNearest = 50;

struct Stand {
    bool takes_work = false;
    std::optional<Duration> free_in;  ///< Nothing: nobody knows.
    bool is_bound = false;
    std::vector<NameId> models;  ///< The least recently used first.
};

class Guess {
public:
    Guess(const Core& core, Instant now, const LoadTime& load_time) : core_(core), now_(now), load_time_(load_time) {
        for (GpuId gpu; core.ledger().knows(gpu); gpu = gpu.next()) stands_.push_back(stand_of(gpu));
    }

    struct Seat {
        GpuSpan span;
        ExpectedStart start;
        bool holds = false;
    };

    /// The soonest; nothing where no end is known. What is told of it is a bound where another's end is not.
    std::optional<Seat> find(const TaskSpec& spec) const {
        std::optional<Seat> best;
        bool any_unknown = false;
        const auto look = [&](const GpuSpan& span) {
            if (!is_suitable(span, spec.demand)) return;
            const auto seat = seat_at(span, spec);
            if (!seat) any_unknown = true;
            if (seat && (!best || is_better(*seat, *best))) best = seat;
        };
        if (spec.demand.is_tied() && core_.ledger().takes_work(spec.demand.on)) {
            look(spec.demand.on);
        } else {
            for (const GpuSpan& node : core_.ledger().nodes())
                for (GpuId gpu = node.first; gpu.value() + spec.demand.gpus <= node.end().value(); gpu = gpu.next())
                    look({gpu, spec.demand.gpus});
        }
        if (best && any_unknown) best->start.is_bound = true;
        return best;
    }

    void take(const Seat& seat, const TaskSpec& spec) {
        const std::optional<Duration> run = core_.expected_run(spec);
        const std::optional<Duration> load = seat.holds ? std::optional(Duration::zero()) : load_time_(spec.model);
        for (GpuId gpu = seat.span.first; gpu < seat.span.end(); gpu = gpu.next()) {
            Stand& stand = stands_[gpu.value()];
            stand.free_in = run && load ? std::optional(seat.start.in + *load + *run) : std::nullopt;
            stand.is_bound = seat.start.is_bound;
            if (!seat.holds) put_on(stand, spec.model);
        }
    }

private:
    Stand stand_of(GpuId gpu) const {
        Stand stand{core_.ledger().takes_work(gpu), Duration::zero(), false, core_.shelves().models_on(gpu)};
        const auto holder = core_.ledger().holder(gpu);
        if (!holder) return stand;
        const Task& task = *core_.find(*holder);
        if (task.state == TaskState::stopping) return stand;
        const auto run = core_.expected_run(task.spec);
        if (!run) {
            stand.free_in.reset();
            return stand;
        }
        stand.free_in = std::max(Duration::zero(), task.since + *run - now_);
        for (const TaskId behind : core_.succession().behind(gpu))
            *stand.free_in += core_.expected_run(core_.find(behind)->spec).value_or(Duration::zero());
        return stand;
    }

    bool is_suitable(const GpuSpan& span, const Demand& demand) const {
        if (!core_.ledger().is_right_kind(core_.ledger().node_of(span.first), demand)) return false;
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            if (!stands_[gpu.value()].takes_work || core_.ledger().room(gpu) < demand.memory) return false;
        return true;
    }

    std::optional<Seat> seat_at(const GpuSpan& span, const TaskSpec& spec) const {
        Seat seat{span, {}, true};
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
            const Stand& stand = stands_[gpu.value()];
            if (!stand.free_in) return std::nullopt;
            seat.start.in = std::max(seat.start.in, *stand.free_in);
            seat.start.is_bound = seat.start.is_bound || stand.is_bound;
            seat.holds = seat.holds && holds(stand, spec.model);
        }
        return seat;
    }

    static bool holds(const Stand& stand, NameId model) {
        return model == NameId{} || std::find(stand.models.begin(), stand.models.end(), model) != stand.models.end();
    }

    static bool is_better(const Seat& a, const Seat& b) {
        if (a.start.in != b.start.in) return a.start.in < b.start.in;
        return a.holds && !b.holds;
    }

    void put_on(Stand& stand, NameId model) const {
        while (!stand.models.empty() && stand.models.size() >= core_.shelves().most_a_gpu())
            stand.models.erase(stand.models.begin());
        stand.models.push_back(model);
    }

    const Core& core_;
    Instant now_;
    const LoadTime& load_time_;
    std::vector<Stand> stands_;
};

}  // namespace

Forecast::Forecast(const Core& core, Instant now, const LoadTime& load_time) : switches_(core.ledger().gpu_count()) {
    if (core.starts_nothing() || switches_.empty()) return;
    const std::size_t most = std::clamp(kMostSteps / switches_.size(), kNearest, kFarthest);
    Guess guess(core, now, load_time);
    core.scheduler().for_each_in_line([&](TaskId id) {
        const TaskSpec& spec = core.find(id)->spec;
        const auto seat = guess.find(spec);
        if (seat) {
            starts_.emplace(id, seat->start);
            for (GpuId gpu = seat->span.first; !seat->holds && gpu < seat->span.end(); gpu = gpu.next())
                if (auto& next = switches_[gpu.value()]; !next) next = NextSwitch{spec.model, id, seat->start};
            guess.take(*seat, spec);
        }
        return ++reach_ < most;
    });
}

std::optional<ExpectedStart> Forecast::start_of(TaskId task) const {
    const auto found = starts_.find(task);
    return found == starts_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NextSwitch> Forecast::next_switch(GpuId gpu) const {
    return gpu.value() < switches_.size() ? switches_[gpu.value()] : std::nullopt;
}

}  // namespace sy::control
