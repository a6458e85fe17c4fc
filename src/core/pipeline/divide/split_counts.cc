// With equal layers a stage's time and room depend on how many layers it holds, and, for the embedding and the head, on
// whether it stands first or last. So a pipeline is a choice of sizes that add up to the model, with one node marked
// first and one last: a knapsack over layers with four sheets (first taken or not, last taken or not).
//
// The least period T is found by bisection over the times that occur: for one T each node may take a set of sizes, all
// up to some limit or, where times were measured and are not monotone, any; which totals can be reached is a set of
// bits that is shifted and joined node by node. Then, with sizes slower than T forbidden, the knapsack is done once
// more for the least latency. A node whose time is linear in its layers is added by a window's minimum (a queue of
// candidates, each entering and leaving once), so n nodes and L layers take O(n L) for that and O(n L² / 64 · log) for
// the bisection at worst. 64 nodes and 126 layers take about a millisecond.
#include "core/pipeline/divide/split_counts.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sy::pipeline {

namespace {

using Time = std::int64_t;
constexpr Time kFar = kEndless.count();

enum Role : std::uint8_t { kMiddle, kFirst, kLast, kOut };
constexpr std::array<Role, 3> kRoles{kMiddle, kFirst, kLast};
/// Which ends are taken: bit 0 the first, bit 1 the last.
constexpr std::size_t kSheets = 4;
constexpr std::array<std::size_t, 3> kTakes{0, 1, 2};  // by role

/// Sizes low … high, which take `each` for each layer beyond `base`.
struct Sizes {
    Layer low = 1;
    Layer high = 0;
    Time base = 0;
    Time each = 0;
};

/// Totals that can be reached, as bits.
class Totals {
public:
    explicit Totals(Layer layers) : words_(layers / 64 + 1) {}

    void set(Layer total) { words_[total / 64] |= std::uint64_t{1} << total % 64; }
    bool has(Layer total) const { return (words_[total / 64] >> total % 64 & 1) != 0; }
    void clear() { std::fill(words_.begin(), words_.end(), 0); }

    /// Adds everything of `from`, moved up by so many.
    void join(const Totals& from, Layer by) {
        const std::size_t words = by / 64;
        const unsigned bits = by % 64;
        for (std::size_t w = words_.size(); w-- > words;) {
            std::uint64_t moved = from.words_[w - words] << bits;
            if (bits > 0 && w > words) moved |= from.words_[w - words - 1] >> (64 - bits);
            words_[w] |= moved;
        }
    }

    /// Adds everything of `from` moved up by low, low + 1, … high, in log(high - low) steps with room to work in.
    void join_all(const Totals& from, Layer low, Layer high, Totals& room) {
        room.clear();
        room.join(from, low);
        for (Layer width = 1; width < high - low + 1;) {
            const Layer more = std::min(width, high - low + 1 - width);
            room.join(room, more);
            width += more;
        }
        join(room, 0);
    }

private:
    std::vector<std::uint64_t> words_;
};

class Counts {
public:
    Counts(const Team& team, const Leap& between) : team_(team), between_(between), layers_(team.costs().layers) {
        for (std::size_t m = 0; m < team.size(); ++m) {
            most_.push_back({largest(m, kMiddle), largest(m, kFirst), largest(m, kLast)});
            alone_.push_back(team.costs().fits(team.node(m), {0, layers_}));
        }
    }

    std::optional<Pipeline> solve(Aim aim) {
        Time limit = kFar - 1;
        if (aim == Aim::bottleneck) {
            const std::vector<Time> times = all_times();
            const auto least =
                std::partition_point(times.begin(), times.end(), [&](Time t) { return !reaches_end(t); });
            if (least == times.end()) return {};
            limit = *least;
        }
        return quickest(limit);
    }

private:
    Range range(Role role, Layer size) const {
        if (role == kFirst) return {0, size};
        if (role == kLast) return {layers_ - size, layers_};
        return {1, 1 + size};
    }

    /// The most layers the member can hold there, if others hold the rest.
    Layer largest(std::size_t member, Role role) const {
        const Layer others = role == kMiddle ? 2 : 1;
        Layer low = 0;
        Layer high = layers_ > others ? layers_ - others : 0;
        while (low < high) {
            const Layer middle = low + (high - low + 1) / 2;
            if (team_.costs().fits(team_.node(member), range(role, middle)))
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    Time time(std::size_t member, Layer size) const {
        return team_.costs().time(team_.node(member), {0, size}).count();
    }

    /// The time of the leaps that a stage in this role answers for: into it, and out of it at the end.
    Time leaps(std::size_t member, Role role) const {
        const Time in = role == kFirst ? team_.between(team_.client(), member).time.count() : between_.time.count();
        return in + (role == kLast ? team_.between(member, team_.client()).time.count() : 0);
    }
    Time slowest_leap(std::size_t member, Role role) const {
        const Time in = role == kFirst ? team_.between(team_.client(), member).period.count() : between_.period.count();
        return role == kLast ? std::max(in, team_.between(member, team_.client()).period.count()) : in;
    }
    Time alone_period(std::size_t member) const {
        return std::max({time(member, layers_), team_.between(team_.client(), member).period.count(),
                         team_.between(member, team_.client()).period.count()});
    }
    Time alone_latency(std::size_t member) const {
        return time(member, layers_) + leaps(member, kFirst) + team_.between(member, team_.client()).time.count();
    }

    std::vector<Time> all_times() const {
        std::vector<Time> times{between_.period.count()};
        for (std::size_t m = 0; m < team_.size(); ++m) {
            times.push_back(team_.between(team_.client(), m).period.count());
            times.push_back(team_.between(m, team_.client()).period.count());
            if (alone_[m]) times.push_back(time(m, layers_));
            if (m > 0 && most_[m] == most_[m - 1] && same_node(team_.numbers(m), team_.numbers(m - 1))) continue;
            for (Layer size = 1; size <= *std::max_element(most_[m].begin(), most_[m].end()); ++size)
                times.push_back(time(m, size));
        }
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        return times;
    }

    /// What the member may hold in this role with no step slower than the limit.
    std::vector<Sizes> sizes(std::size_t member, Role role, Time limit) const {
        std::vector<Sizes> all;
        const Layer most = most_[member][role];
        if (most == 0 || slowest_leap(member, role) > limit) return all;
        const Time base = leaps(member, role);
        if (team_.numbers(member).measured_time.empty()) {
            const Time each = time(member, 1);
            const Time high = each <= 0 ? most : std::min<Time>(most, limit / each);
            if (high >= 1) all.push_back({1, static_cast<Layer>(high), base, each});
            return all;
        }
        for (Layer size = 1; size <= most; ++size)
            if (const Time takes = time(member, size); takes <= limit) all.push_back({size, size, base + takes, 0});
        return all;
    }

    bool reaches_end(Time limit) const {
        for (std::size_t m = 0; m < team_.size(); ++m)
            if (alone_[m] && alone_period(m) <= limit) return true;
        std::vector<Totals> sheets(kSheets, Totals(layers_));
        Totals room(layers_);
        sheets[0].set(0);
        for (std::size_t m = 0; m < team_.size(); ++m) {
            const std::vector<Totals> before = sheets;
            for (const Role role : kRoles)
                for (const Sizes& range : sizes(m, role, limit))
                    for (std::size_t sheet = 0; sheet < kSheets; ++sheet)
                        if ((sheet & kTakes[role]) == 0)
                            sheets[sheet | kTakes[role]].join_all(before[sheet], range.low, range.high, room);
        }
        return sheets[kSheets - 1].has(layers_);
    }

    struct Choice {
        Role role = kOut;
        std::uint32_t size = 0;
    };
    struct Sheet {
        std::vector<Time> least;  ///< By total.
        std::vector<Choice> by;   ///< How the member just added got there.
    };
    using Sheets = std::array<Sheet, kSheets>;

    Sheets without_anyone() const {
        Sheets sheets;
        for (Sheet& sheet : sheets) {
            sheet.least.assign(layers_ + 1, kFar);
            sheet.by.assign(layers_ + 1, {});
        }
        return sheets;
    }

    static void add(const Sheet& from, Sheet& to, Role role, const Sizes& sizes, std::vector<Layer>& window) {
        if (sizes.low == sizes.high)
            add_one(from, to, role, sizes);
        else
            add_window(from, to, role, sizes, window);
    }

    static void add_one(const Sheet& from, Sheet& to, Role role, const Sizes& sizes) {
        const Time takes = sizes.base + sizes.each * sizes.low;
        for (Layer total = sizes.low; total < to.least.size(); ++total) {
            const Time least = from.least[total - sizes.low] + takes;
            if (least >= to.least[total]) continue;
            to.least[total] = least;
            to.by[total] = {role, sizes.low};
        }
    }

    /// The minimum of least - each · total over the window of totals that a size of the range leads up from. `window`
    /// is room for those that may yet be it: values ascend, and totals.
    static void add_window(const Sheet& from, Sheet& to, Role role, const Sizes& sizes, std::vector<Layer>& window) {
        window.clear();
        std::size_t oldest = 0;
        const auto value = [&](Layer total) { return from.least[total] - sizes.each * total; };
        for (Layer total = sizes.low; total < to.least.size(); ++total) {
            const Layer entering = total - sizes.low;
            if (from.least[entering] < kFar) {
                while (window.size() > oldest && value(window.back()) >= value(entering)) window.pop_back();
                window.push_back(entering);
            }
            while (oldest < window.size() && window[oldest] + sizes.high < total) ++oldest;
            if (oldest == window.size()) continue;
            const Time least = value(window[oldest]) + sizes.base + sizes.each * total;
            if (least >= to.least[total]) continue;
            to.least[total] = least;
            to.by[total] = {role, total - window[oldest]};
        }
    }

    Sheets with(const Sheets& before, std::size_t member, Time limit) const {
        Sheets after = before;
        std::vector<Layer> window;
        for (Sheet& sheet : after) std::fill(sheet.by.begin(), sheet.by.end(), Choice{});
        for (const Role role : kRoles)
            for (const Sizes& range : sizes(member, role, limit))
                for (std::size_t sheet = 0; sheet < kSheets; ++sheet)
                    if ((sheet & kTakes[role]) == 0)
                        add(before[sheet], after[sheet | kTakes[role]], role, range, window);
        return after;
    }

    std::optional<Pipeline> quickest(Time limit) const {
        std::vector<Sheets> after{without_anyone()};
        after.front()[0].least[0] = 0;
        for (std::size_t m = 0; m < team_.size(); ++m) after.push_back(with(after.back(), m, limit));
        Time best = after.back()[kSheets - 1].least[layers_];
        std::optional<std::size_t> single;
        for (std::size_t m = 0; m < team_.size(); ++m)
            if (alone_[m] && alone_period(m) <= limit && alone_latency(m) <= best) {
                // Of equals the shorter pipeline, and of those the first member.
                if (single && alone_latency(m) == best) continue;
                best = alone_latency(m);
                single = m;
            }
        if (single) return Pipeline{{team_.node(*single), {0, layers_}}};
        if (best >= kFar) return {};
        return trace(after);
    }

    Pipeline trace(const std::vector<Sheets>& after) const {
        std::vector<std::pair<Role, Stage>> chosen;
        std::size_t sheet = kSheets - 1;
        Layer total = layers_;
        for (std::size_t m = team_.size(); m-- > 0;) {
            const Choice& by = after[m + 1][sheet].by[total];
            if (by.role == kOut) continue;
            chosen.push_back({by.role, {team_.node(m), {0, by.size}}});
            sheet &= ~kTakes[by.role];
            total -= by.size;
        }
        Pipeline pipeline;
        const auto take = [&](Role role) {
            for (auto at = chosen.rbegin(); at != chosen.rend(); ++at) {
                if (at->first != role) continue;
                const Layer first = pipeline.empty() ? 0 : pipeline.back().range.end;
                pipeline.push_back({at->second.node, {first, first + at->second.range.size()}});
            }
        };
        for (const Role role : {kFirst, kMiddle, kLast}) take(role);
        return pipeline;
    }

    const Team& team_;
    Leap between_;
    Layer layers_;
    std::vector<std::array<Layer, 3>> most_;  ///< By member and role.
    std::vector<bool> alone_;                 ///< Holds the whole model.
};

}  // namespace

std::optional<Pipeline> split_counts(const Team& team, Aim aim, const Leap& between) {
    return Counts(team, between).solve(aim);
}

}  // namespace sy::pipeline
