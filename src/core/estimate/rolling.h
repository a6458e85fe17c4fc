// Rolling: the default predictor. Jobs run about as long as those like them did lately (P17b, S9).
//
// It keeps a short memory for each habit a job may share with others and leans on the most particular one as far as it
// has been seen. Where the owner gave an estimate, that is scaled by how such estimates came out and weighed against
// history by which of the two has missed less. The number of habits remembered is limited; those not met for longest
// go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "core/estimate/recent_table.h"
#include "core/estimate/run_time.h"
#include "core/model/limits.h"

namespace sy::estimate {

/// What jobs are compared by, from the widest to the most particular.
enum class Habit : std::uint8_t { everything, gpus, model, user, user_gpus, user_model_gpus, user_name };
inline constexpr std::size_t kHabits = 7;
constexpr Habit last_of(Habit) {
    return Habit::user_name;
}

/// A mean that leans towards what was added last.
struct Average {
    double count = 0;
    double mean = 0;

    void add(double value);

    static constexpr auto fields() { return std::tuple{&Average::count, &Average::mean}; }
};

/// What is remembered of one habit. Run times are fourth roots of seconds, for the reason at the top of rolling.cc.
struct Memory {
    Average length;
    Average ratio;         ///< Of the run time to the owner's estimate, as a fourth root.
    Average history_miss;  ///< Of guesses from history, where there was an estimate to choose instead.
    Average owner_miss;    ///< Of scaled estimates.
    double last = 0;       ///< The latest run time.

    static constexpr auto fields() {
        return std::tuple{&Memory::length, &Memory::ratio, &Memory::history_miss, &Memory::owner_miss, &Memory::last};
    }
};

class Rolling final : public RunTime {
public:
    /// What each habit remembers of jobs like this one; nothing where it has met none or the job does not say.
    using Memories = std::array<const Memory*, kHabits>;

    explicit Rolling(std::uint32_t most_habits = Limits{}.remembered_habits);

    Duration predict(const JobFeatures& job) const override;
    void learn(const JobFeatures& job, Duration actual) override;
    bool can_be_saved() const override { return true; }
    void save(ByteWriter& writer) const override;
    bool load(ByteReader& reader) override;

    Memories memories(const JobFeatures& job) const;
    std::size_t remembered() const { return table_.size(); }

private:
    struct Key {
        Habit habit{};
        GpuCount gpus = 0;
        NameId user;
        NameId other;  ///< A model or a name.

        std::uint64_t hash() const;
        static constexpr auto fields() { return std::tuple{&Key::habit, &Key::gpus, &Key::user, &Key::other}; }
        friend bool operator==(const Key&, const Key&) = default;
    };

    using Keys = std::array<std::optional<Key>, kHabits>;

    static Keys keys_of(const JobFeatures& job);

    std::uint32_t most_habits_;
    RecentTable<Key, Memory> table_;
};

}  // namespace sy::estimate
