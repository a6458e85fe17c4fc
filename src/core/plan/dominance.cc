// What can still happen depends on the jobs that are done, when each GPU is free and what it holds, when the needs of
// waiting jobs end, and the clock. If one partial plan has no later time in any of these than another, everything that
// can follow the other can follow it, and no later.
//
// Two plans that differ only in times that no longer matter should look the same. No job starts before the clock, nor
// before the first GPU is free; a load begins at most the longest load before its job. So earlier times are raised to
// that. GPUs that nothing tells apart are sorted. Where no gang uses a GPU, another model is as good as the one it
// holds if the GPU is free so much earlier that every load from it ends no later.
//
// Among plans with the same clock, the one whose last job has the lower label comes first; tree.cc says why.
#include "core/plan/dominance.h"

#include <algorithm>
#include <numeric>

namespace sy::plan {

namespace {

/// 64 MB of numbers, and at most this many plans with the same jobs.
constexpr std::size_t kMostNumbers = 8'000'000;
constexpr int kMostAlike = 100;
constexpr std::size_t kRows = 1 << 15;
constexpr std::uint64_t kGroups = 1 << 8;

}  // namespace

Dominance::Dominance(const Small& small)
    : small_(small),
      words_((small.jobs().size() + 62) / 63),
      by_family_(small.gpus().size()),
      gpus_(small.gpus().size()),
      last_(kRows) {
    std::iota(by_family_.begin(), by_family_.end(), 0U);
    std::stable_sort(by_family_.begin(), by_family_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return small.gpus()[a].family < small.gpus()[b].family; });
}

/// The set of jobs, the clock and the last label, GPUs by family, ends of jobs that others wait for.
void Dominance::describe(const Partial& partial) {
    now_.assign(words_, 0);
    for (std::uint32_t j = 0; j < small_.jobs().size(); ++j)
        if (partial.done(j)) now_[j / 63] |= Time{1} << (j % 63);
    Time first_free = Small::kFar;
    for (std::uint32_t g = 0; g < gpus_.size(); ++g) first_free = std::min(first_free, partial.gpu(g).free);
    const Time clock = std::max(partial.clock(), first_free);
    now_.push_back(clock);
    now_.push_back(small_.jobs()[partial.order().back().job].label);
    describe_gpus(partial);
    for (std::uint32_t j = 0; j < small_.jobs().size(); ++j)
        if (partial.done(j) && partial.open_successors(j) > 0) now_.push_back(std::max(partial.end(j), clock));
}

void Dominance::describe_gpus(const Partial& partial) {
    const Time matters_from = now_[words_] - small_.longest_load();
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        const Partial::Gpu& gpu = partial.gpu(by_family_[i]);
        gpus_[i].free = std::max(gpu.free, matters_from);
        const std::uint64_t group = small_.gpus()[by_family_[i]].in_gangs ? gpu.group % kGroups : 0;
        gpus_[i].holds = small_.longest_load() > 0 ? gpu.model * kGroups + group : 0;
    }
    for (std::size_t begin = 0, end = 0; begin < gpus_.size(); begin = end) {
        const std::uint32_t family = small_.gpus()[by_family_[begin]].family;
        while (end < gpus_.size() && small_.gpus()[by_family_[end]].family == family) ++end;
        std::sort(gpus_.begin() + static_cast<std::ptrdiff_t>(begin), gpus_.begin() + static_cast<std::ptrdiff_t>(end),
                  [](const Gpu& a, const Gpu& b) { return a.holds != b.holds ? a.holds < b.holds : a.free < b.free; });
    }
    for (const Gpu& gpu : gpus_) {
        now_.push_back(gpu.free);
        now_.push_back(static_cast<Time>(gpu.holds));
    }
}

bool Dominance::same_jobs(const Time* known) const {
    return std::equal(known, known + words_, now_.begin());
}

bool Dominance::gpu_as_good(std::uint32_t gpu, const Time* a, const Time* b) const {
    if (a[1] == b[1]) return a[0] <= b[0];
    const Small::Gpu& on = small_.gpus()[gpu];
    if (on.in_gangs) return false;
    const auto model = [](Time holds) {
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(holds) / kGroups);
    };
    return a[0] + small_.handicap(on.kind, model(a[1]), model(b[1])) <= b[0];
}

bool Dominance::as_good(const Time* a, const Time* b) const {
    const Time* const a_end = a + now_.size();
    a += words_;
    b += words_;
    if (a[0] > b[0] || (a[0] == b[0] && a[1] > b[1])) return false;
    a += 2;
    b += 2;
    for (const std::uint32_t gpu : by_family_) {
        if (!gpu_as_good(gpu, a, b)) return false;
        a += 2;
        b += 2;
    }
    for (; a != a_end; ++a, ++b)
        if (*a > *b) return false;
    return true;
}

bool Dominance::seen_as_good(const Partial& partial) {
    describe(partial);
    std::size_t& last = last_[partial.hash() % last_.size()];
    int alike = 0;
    for (std::size_t at = last; at != 0; at = static_cast<std::size_t>(known_[at - 1])) {
        Time* const known = known_.data() + at;
        if (!same_jobs(known)) continue;
        if (as_good(known, now_.data())) return true;
        if (as_good(now_.data(), known)) {
            std::copy(now_.begin(), now_.end(), known);
            return false;
        }
        ++alike;
    }
    if (alike < kMostAlike) remember(last);
    return false;
}

void Dominance::remember(std::size_t& last) {
    if (known_.size() + now_.size() + 1 > kMostNumbers) return;
    known_.push_back(static_cast<Time>(last));
    last = known_.size();
    known_.insert(known_.end(), now_.begin(), now_.end());
}

}  // namespace sy::plan
