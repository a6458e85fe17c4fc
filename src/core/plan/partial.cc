#include "core/plan/partial.h"

#include <algorithm>

namespace sy::plan {

Partial::Partial(const Small& small)
    : small_(small), end_(small.jobs().size(), kNotDone), jobs_of_(small.request_twins().size()) {
    for (const Small::Gpu& gpu : small.gpus()) gpus_.push_back({gpu.free, gpu.model, gpu.group});
    for (const Small::Job& job : small.jobs()) {
        open_.push_back(static_cast<std::uint32_t>(job.needs.size()));
        waiting_.push_back(static_cast<std::uint32_t>(job.successors.size()));
    }
}

Partial::Time Partial::needs_end(std::uint32_t job) const {
    Time last = 0;
    for (const std::uint32_t need : small_.jobs()[job].needs) last = std::max(last, end_[need]);
    return last;
}

Partial::Time Partial::earliest(std::uint32_t model, const Small::Place& place, Time ready) const {
    Time free = 0;
    Time load = 0;
    for (std::uint32_t g = place.first; g < place.end; ++g) {
        const Gpu& gpu = gpus_[g];
        free = std::max(free, gpu.free);
        if (gpu.model == model && gpu.group == place.first) continue;
        load = std::max(load, small_.load(small_.gpus()[g].kind, gpu.model == model ? 0 : gpu.model, model));
    }
    return std::max(ready, free + load);
}

Partial::Time Partial::soonest_held(std::uint32_t model, const Small::Place& place) const {
    Time soonest = 0;
    for (std::uint32_t g = place.first; g < place.end; ++g) {
        const Gpu& gpu = gpus_[g];
        const bool held = gpu.model == model && gpu.group == place.first;
        soonest = std::max(soonest, gpu.free + (held ? 0 : small_.approach(small_.gpus()[g].kind, gpu.model, model)));
    }
    return soonest;
}

void Partial::add(std::uint32_t job, const Small::Place& place, Time start) {
    const Small::Job& added = small_.jobs()[job];
    before_.push_back({clock_, makespan_});
    order_.push_back({job, place});
    for (std::uint32_t g = place.first; g < place.end; ++g) {
        gpus_before_.push_back(gpus_[g]);
        gpus_[g] = {start + place.lasts, added.model, place.first};
    }
    end_[job] = start + place.lasts;
    clock_ = start;
    makespan_ = std::max(makespan_, end_[job]);
    hash_ ^= added.hash;
    ++jobs_of_[added.request];
    for (const std::uint32_t next : added.successors) --open_[next];
    for (const std::uint32_t need : added.needs) --waiting_[need];
}

void Partial::take_back() {
    const auto [job, place] = order_.back();
    const Small::Job& taken = small_.jobs()[job];
    order_.pop_back();
    for (std::uint32_t g = place.end; g-- > place.first;) {
        gpus_[g] = gpus_before_.back();
        gpus_before_.pop_back();
    }
    end_[job] = kNotDone;
    clock_ = before_.back().clock;
    makespan_ = before_.back().makespan;
    before_.pop_back();
    hash_ ^= taken.hash;
    --jobs_of_[taken.request];
    for (const std::uint32_t next : taken.successors) ++open_[next];
    for (const std::uint32_t need : taken.needs) ++waiting_[need];
}

}  // namespace sy::plan
