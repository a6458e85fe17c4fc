// The rolling predictor.
//
// Problem: jobs of one user under one name tend to run alike, but most names are new or rare, run times spread over six
// orders of magnitude, a tenth of all jobs breaks within seconds, and habits change.
//
// Choice: one memory for each habit, and a prediction that walks from the widest habit to the most particular. Each
// step moves the guess towards what that habit remembers by n / (n + 1), where n is how often it was met: a habit met
// once counts as much as all that is wider, one met often decides alone. (This is shrinkage as in empirical Bayes, with
// one constant instead of an estimated one.) A name never seen costs nothing, an old one is trusted.
//
// A memory is a mean over about the last kMemory jobs, of fourth roots. The mean of the run times themselves is what an
// order by expected length wants, but one job of a week rules it for long; the mean of logarithms forgives that, but a
// few jobs that broke at once pull it down just as badly. Fourth roots lie between: they had the lowest mean error of
// run times, square roots, fourth roots and logarithms on drawn traces, and nearly that of logarithms on recorded ones.
// The error is what decided: on a naive list scheduler all four ended jobs equally soon, as far as the noise let us
// see. And roots, unlike logarithms, are rounded the same way on every machine, so predictions repeat to the
// nanosecond.
//
// The owner's estimate is treated the same way: what is remembered is the ratio of the run time to it. Both guesses are
// then mixed by the squares of their misses so far, remembered by habit as well, so a user who estimates well is
// believed.
//
// Cost: seven look-ups to predict, seven to learn, whatever was learned before. Memory: Limits::remembered_habits times
// some 110 bytes. Learning touches the particular habits before the wide ones, so a wide one is never forgotten before
// the particular ones it stands behind.
#include "core/estimate/rolling.h"

#include <algorithm>
#include <cmath>

namespace sy::estimate {

namespace {

constexpr double kMemory = 20;
/// How far a guess is held to be off before one was ever checked.
constexpr double kUntriedMiss = 0.25;

double root_of(Duration run) {
    return std::sqrt(std::sqrt(to_seconds(std::clamp(run, kShortestRun, kLongestRun))));
}

Duration run_of(double root) {
    const double nanoseconds = std::min(root * root * root * root * 1e9, static_cast<double>(kLongestRun.count()));
    return std::max(kShortestRun, Duration(std::llround(nanoseconds)));
}

/// From 0 where they are equal to 1 where they have nothing in common; the same both ways round.
double miss(double guess, double truth) {
    return std::abs(guess - truth) / (guess + truth);
}

/// From the widest habit to the most particular, each as far as it was met.
double blend(const Rolling::Memories& memories, Average Memory::*part, double unknown) {
    double guess = unknown;
    bool known = false;
    for (const Memory* memory : memories) {
        if (memory == nullptr || (memory->*part).count == 0) continue;
        const Average& average = memory->*part;
        guess += (average.mean - guess) * (known ? average.count / (average.count + 1) : 1.0);
        known = true;
    }
    return guess;
}

struct Guesses {
    double history;
    double owner;
};

Guesses guesses_of(const Rolling::Memories& memories, const JobFeatures& job) {
    return {blend(memories, &Memory::length, root_of(kUnknownRun)),
            root_of(job.estimate) * blend(memories, &Memory::ratio, 1)};
}

/// How much of the prediction is the owner's.
double trust_in_owner(const Rolling::Memories& memories) {
    const double history = blend(memories, &Memory::history_miss, kUntriedMiss);
    const double owner = blend(memories, &Memory::owner_miss, kUntriedMiss);
    const double sum = history * history + owner * owner;
    return sum > 0 ? history * history / sum : 0.5;
}

/// Whether figures read from outside are such as `learn` makes.
bool can_be(const Memory& memory) {
    constexpr double kMost = 1e15;
    for (const double figure :
         {memory.length.count, memory.length.mean, memory.ratio.count, memory.ratio.mean, memory.history_miss.count,
          memory.history_miss.mean, memory.owner_miss.count, memory.owner_miss.mean, memory.last})
        if (!(figure >= 0 && figure <= kMost)) return false;
    return true;
}

bool has_estimate(const JobFeatures& job) {
    return job.estimate > Duration::zero();
}

}  // namespace

void Average::add(double value) {
    count += 1;
    mean += (value - mean) / std::min(count, kMemory);
}

std::uint64_t Rolling::Key::hash() const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = (std::uint64_t{user.value()} << 32U | other.value()) * kGolden;
    mixed ^= mixed >> 32U;
    mixed += std::uint64_t{gpus} << 8U | static_cast<std::uint64_t>(habit);
    mixed *= kGolden;
    return mixed ^ mixed >> 29U;
}

Rolling::Rolling(std::uint32_t most_habits) : most_habits_(most_habits), table_(most_habits) {
    SY_CHECK(most_habits >= kHabits, "room for {} habits, one job has {}", most_habits, kHabits);
}

Rolling::Keys Rolling::keys_of(const JobFeatures& job) {
    const NameId none;
    const auto key = [](bool said, Habit habit, GpuCount gpus, NameId user, NameId other) {
        return said ? std::optional(Key{habit, gpus, user, other}) : std::nullopt;
    };
    return {key(true, Habit::everything, 0, none, none),
            key(true, Habit::gpus, job.gpus, none, none),
            key(job.model != none, Habit::model, 0, none, job.model),
            key(job.user != none, Habit::user, 0, job.user, none),
            key(job.user != none, Habit::user_gpus, job.gpus, job.user, none),
            key(job.model != none, Habit::user_model_gpus, job.gpus, job.user, job.model),
            key(job.name != none, Habit::user_name, 0, job.user, job.name)};
}

Rolling::Memories Rolling::memories(const JobFeatures& job) const {
    Memories found{};
    const Keys keys = keys_of(job);
    for (std::size_t i = 0; i < kHabits; ++i) found[i] = keys[i] ? table_.find(*keys[i]) : nullptr;
    return found;
}

Duration Rolling::predict(const JobFeatures& job) const {
    const Memories known = memories(job);
    if (known.front() == nullptr) return has_estimate(job) ? run_of(root_of(job.estimate)) : kUnknownRun;
    const Guesses guess = guesses_of(known, job);
    if (!has_estimate(job)) return run_of(guess.history);
    return run_of(guess.history + (guess.owner - guess.history) * trust_in_owner(known));
}

void Rolling::learn(const JobFeatures& job, Duration actual) {
    const Keys keys = keys_of(job);
    std::array<Memory*, kHabits> touched{};
    Memories before{};
    for (std::size_t i = kHabits; i-- > 0;)
        if (keys[i]) before[i] = touched[i] = &table_.touch(*keys[i]);
    const Guesses guess = guesses_of(before, job);
    const double length = root_of(actual);
    for (Memory* memory : touched) {
        if (memory == nullptr) continue;
        memory->length.add(length);
        memory->last = length;
        if (!has_estimate(job)) continue;
        memory->ratio.add(length / root_of(job.estimate));
        memory->history_miss.add(miss(guess.history, length));
        memory->owner_miss.add(miss(guess.owner, length));
    }
}

void Rolling::save(ByteWriter& writer) const {
    writer.put_varint(table_.size());
    table_.for_each([&](const Key& key, const Memory& memory) {
        writer.put(key);
        writer.put(memory);
    });
}

bool Rolling::load(ByteReader& reader) {
    table_ = RecentTable<Key, Memory>(most_habits_);
    const std::uint64_t count = reader.get_varint();
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
        Key key;
        Memory memory;
        reader.get(key);
        reader.get(memory);
        if (!reader.ok() || !can_be(memory)) return false;
        table_.touch(key) = memory;
    }
    return reader.ok() && table_.size() == count;
}

}  // namespace sy::estimate
