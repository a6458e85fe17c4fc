// Problem: batches of thousands of nodes leave no time to try each node on each GPU, and greedy placement one node at a
// time switches far too often, since it cannot see that twenty more nodes of a model are about to come.
//
// Choice: simulate. GPUs fall free in order of time; the decision is made per GPU, not per node, and looks at each
// model as a whole: work ready, work to come, how many places hold it already. A gang model takes a window of GPUs,
// aligned to its width so that windows do not overlap by halves: once chosen, its members take no new work until all of
// them are free, then load together, and stay a gang until the model has nothing ready and another is worth the switch
// (P9).
//
// Nothing is lost by idling: a GPU without worthwhile work is asked again when jobs become ready, and where nothing
// runs any more the threshold is dropped, so every pass ends with every job placed.
//
// Cost: O(N log N) for the queues and O(M) for each decision to switch, M models.
#include "core/plan/dispatch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "core/plan/fleet.h"
#include "core/plan/urgency_queue.h"

namespace sy::plan {

std::vector<Duration> bottom_levels(const Jobs& jobs) {
    std::vector<Duration> level(jobs.size());
    for (const JobIndex job : successors_first(jobs)) {
        level[job] += jobs.least_time(job);  // the longest way behind it is there already
        jobs.for_each_need(job, [&](JobIndex need) { level[need] = std::max(level[need], level[job]); });
    }
    return level;
}

namespace {

/// Places that do not overlap, from the lowest id on.
std::vector<GpuSpan> side_by_side(const std::vector<GpuSpan>& spans) {
    std::vector<GpuSpan> chosen;
    for (const GpuSpan& span : spans)
        if (chosen.empty() || chosen.back().end() <= span.first) chosen.push_back(span);
    return chosen;
}

class Pass {
public:
    Pass(const Problem& problem, const std::vector<Duration>& levels, const DispatchWeights& weights)
        : Pass(problem, levels, weights, Fleet(problem, true), problem.jobs().size()) {
        for (JobIndex job = 0; job < jobs_.size(); ++job) enter(job, jobs_.need_count(job));
        begin();
    }

    Pass(const Problem& problem, const std::vector<Duration>& levels, const DispatchWeights& weights,
         const Situation& situation)
        : Pass(problem, levels, weights, Fleet(problem, situation), situation.rest.size()) {
        now_ = situation.now;
        from_the_middle_ = true;
        for (std::uint32_t gpu = 0; gpu < seats_.size(); ++gpu) seats_[gpu].away = situation.gpus[gpu].away;
        std::vector<bool> is_open(jobs_.size());
        for (const JobIndex job : situation.rest) is_open[job] = true;
        for (const Underway& busy : situation.underway)
            if (busy.job != Underway::kLoad) is_open[busy.job] = true;
        for (const JobIndex job : situation.rest) {
            std::size_t needs = 0;
            jobs_.for_each_need(job, [&](JobIndex need) { needs += is_open[need] ? 1U : 0U; });
            enter(job, needs);
        }
        begin();
        for (const Underway& busy : situation.underway) {
            for (GpuId gpu = busy.gpus.first; gpu < busy.gpus.end(); gpu = gpu.next()) seat(gpu).busy = true;
            ends_.emplace(std::max(busy.end, now_), busy.job, busy.gpus);
        }
        std::erase_if(idle_, [this](GpuId gpu) { return seat(gpu).busy; });
    }

    std::vector<PlannedJob> run() {
        decide_idle();
        while (planned_.size() < wanted_ || !ends_.empty()) {
            if (ends_.empty()) {
                eager_ = true;  // nothing runs: whatever is ready is worth a switch now
                decide_idle();
                if (ends_.empty() && from_the_middle_) break;
                SY_CHECK(!ends_.empty(), "{} of {} jobs placed and nothing can start", planned_.size(), wanted_);
                eager_ = false;
            }
            now_ = std::get<0>(ends_.top());
            while (!ends_.empty() && std::get<0>(ends_.top()) == now_) finish_one();
            decide_idle();
        }
        return std::move(planned_);
    }

private:
    Pass(const Problem& problem, const std::vector<Duration>& levels, const DispatchWeights& weights, Fleet fleet,
         std::size_t wanted)
        : problem_(problem),
          jobs_(problem.jobs()),
          weights_(weights),
          random_(weights.seed),
          levels_(blurred(levels)),
          shelf_(levels_.empty() ? Duration::zero() : *std::max_element(levels_.begin(), levels_.end())),
          next_(levels_.size()),
          fleet_(std::move(fleet)),
          models_(problem.batch().models.size()),
          seats_(problem.batch().gpus.size()),
          open_(jobs_.size()),
          wanted_(wanted) {}

    struct Model {
        UrgencyQueue queue;        ///< What is ready.
        Duration ready{};          ///< Work in the queue.
        Duration future{};         ///< Work whose needs are not done.
        std::int64_t holders = 0;  ///< Places that hold it, or will.
        double rarity = 1;         ///< All GPUs over those that could run it.
    };
    /// One GPU. Members of a gang share their span; the first decides for all.
    struct Seat {
        std::optional<ModelId> model;
        GpuSpan span;
        bool busy = false;
        std::optional<GpuSpan> claimed;  ///< Waits for this window to fall free, for a gang.
        ModelId claimed_for;
        bool away = false;
    };

    void enter(JobIndex job, std::size_t needs) {
        open_[job] = static_cast<std::uint32_t>(needs);
        model_of(job).future += work_of(job);
        if (needs == 0) make_ready(job);
    }

    void begin() {
        const auto is_away = [this](const GpuSpan& span) {
            for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
                if (seat(gpu).away) return true;
            return false;
        };
        for (std::uint32_t m = 0; m < models_.size(); ++m)
            for (const GpuSpan& span : problem_.spans(ModelId(m)))
                if (!is_away(span) && fleet_.holds(span, ModelId(m))) settle(span, ModelId(m));
        for (std::uint32_t m = 0; m < models_.size(); ++m) {
            std::vector<GpuSpan> spans = problem_.spans(ModelId(m));
            std::erase_if(spans, is_away);
            windows_.push_back(side_by_side(spans));
        }
        planned_.reserve(wanted_);
        if (problem_.batch().kinds.size() > 1) find_rarity();
        for (std::uint32_t gpu = 0; gpu < seats_.size(); ++gpu)
            if (!seats_[gpu].away) idle_.push_back(GpuId(gpu));
    }

    /// At least this much, as things go.
    Duration work_of(JobIndex job) const { return fleet_.paced(jobs_.least_time(job), job); }

    std::vector<Duration> blurred(std::vector<Duration> levels) {
        if (weights_.jitter > 0)
            for (Duration& level : levels)
                level += Duration(static_cast<std::int64_t>(static_cast<double>(level.count()) * weights_.jitter *
                                                            (random_.uniform() - 0.5)));
        return levels;
    }

    void find_rarity() {
        const std::size_t kinds = problem_.batch().kinds.size();
        std::vector<std::vector<bool>> able(models_.size(), std::vector<bool>(kinds));
        for (JobIndex job = 0; job < jobs_.size(); ++job)
            for (std::uint32_t kind = 0; kind < kinds; ++kind)
                if (jobs_.can_run_on(KindId(kind), job)) able[jobs_.model(job).value()][kind] = true;
        for (std::uint32_t m = 0; m < models_.size(); ++m) {
            std::set<GpuId> places;
            for (const GpuSpan& span : problem_.spans(ModelId(m)))
                for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
                    if (able[m][problem_.kind(gpu).value()]) places.insert(gpu);
            if (!places.empty())
                models_[m].rarity = static_cast<double>(seats_.size()) / static_cast<double>(places.size());
        }
    }

    /// Whether a model waits that fewer GPUs could run than this one.
    bool rarer_one_waits(const Model& than) const {
        return weights_.scarcity > 0 && std::any_of(models_.begin(), models_.end(), [&](const Model& model) {
                   return !model.queue.empty() && model.rarity > than.rarity;
               });
    }

    void push(Model& model, JobIndex job) { model.queue.push(job, shelf_(levels_[job]), next_); }
    Model& model_of(JobIndex job) { return models_[jobs_.model(job).value()]; }
    Seat& seat(GpuId gpu) { return seats_[gpu.value()]; }

    void make_ready(JobIndex job) {
        Model& model = model_of(job);
        model.future -= work_of(job);
        model.ready += work_of(job);
        push(model, job);
    }

    /// From now on these GPUs hold the model together.
    void settle(const GpuSpan& span, ModelId model) {
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
            unsettle(gpu);
            seat(gpu) = Seat{model, span, false, std::nullopt, {}, false};
        }
        ++models_[model.value()].holders;
    }

    /// The GPU gives its model up, and its whole gang with it.
    void unsettle(GpuId gpu) {
        if (!seat(gpu).model) return;
        const GpuSpan span = seat(gpu).span;
        --models_[seat(gpu).model->value()].holders;
        for (GpuId other = span.first; other < span.end(); other = other.next()) seat(other).model.reset();
    }

    void finish_one() {
        const JobIndex job = std::get<1>(ends_.top());
        const GpuSpan span = std::get<2>(ends_.top());
        ends_.pop();
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next()) {
            if (fleet_.free_at(gpu) > now_) continue;  // more was handed to it
            seat(gpu).busy = false;
            if (!seat(gpu).away) idle_.push_back(gpu);
        }
        if (job == Underway::kLoad) return;
        jobs_.for_each_successor(job, [&](JobIndex next) {
            if (open_[next] > 0 && --open_[next] == 0) make_ready(next);
        });
    }

    void decide_idle() {
        std::sort(idle_.begin(), idle_.end());
        idle_.erase(std::unique(idle_.begin(), idle_.end()), idle_.end());
        if (from_the_middle_)  // who has been idle for longest would have loaded first
            std::stable_sort(idle_.begin(), idle_.end(),
                             [this](GpuId a, GpuId b) { return fleet_.free_at(a) < fleet_.free_at(b); });
        // First those who can go on with what they hold, so that nobody loads what a neighbour has.
        for (const GpuId gpu : idle_) go_on(gpu);
        for (const GpuId gpu : idle_)
            if (!seat(gpu).busy) change(gpu);
        std::erase_if(idle_, [this](GpuId gpu) { return seat(gpu).busy; });
    }

    void go_on(GpuId gpu) {
        const Seat& s = seat(gpu);
        if (s.busy || s.claimed || !s.model || s.span.first != gpu) return;
        const Model& model = models_[s.model->value()];
        if (rarer_one_waits(model) || is_ill_placed(model, gpu)) return;  // let others compete
        start(s.span, *s.model);
    }

    /// Starts the model's most urgent ready job that this span can run. False where there is none.
    bool start(const GpuSpan& span, ModelId id) {
        Model& model = models_[id.value()];
        while (!model.queue.empty()) {
            const JobIndex job = model.queue.top();
            model.queue.pop(next_);
            const auto offer = fleet_.offer(job, span, now_);
            if (!offer) {
                passed_over_.push_back(job);
                continue;
            }
            put_back(model);
            place(job, *offer, id);
            return true;
        }
        put_back(model);
        return false;
    }

    /// Last first, so that they stand as before.
    void put_back(Model& model) {
        for (; !passed_over_.empty(); passed_over_.pop_back()) push(model, passed_over_.back());
    }

    void place(JobIndex job, const PlannedJob& offer, ModelId id) {
        models_[id.value()].ready -= work_of(job);
        fleet_.take(offer);
        if (seat(offer.gpus.first).model != id || seat(offer.gpus.first).span != offer.gpus) settle(offer.gpus, id);
        for (GpuId gpu = offer.gpus.first; gpu < offer.gpus.end(); gpu = gpu.next()) seat(gpu).busy = true;
        ends_.emplace(offer.end, job, offer.gpus);
        planned_.push_back(offer);
    }

    /// What loading this model on one more place would be worth: work for each holder, in seconds.
    double worth(const Model& model, GpuId gpu) {
        const double work = to_seconds(model.ready) + weights_.future * to_seconds(model.future);
        double value = work / static_cast<double>(model.holders + 1);
        if (model.rarity > 1) value *= std::pow(model.rarity, weights_.scarcity);
        if (weights_.speed > 0 && problem_.batch().kinds.size() > 1)
            value *= std::pow(fitness(model.queue.top(), gpu), weights_.speed);
        if (weights_.urgency > 0) value += weights_.urgency * to_seconds(levels_[model.queue.top()]);
        if (weights_.noise > 0) value *= 1 + weights_.noise * (2 * random_.uniform() - 1);
        return value;
    }

    /// 1 on the kind that does the job at the least price, less on others.
    double fitness(JobIndex job, GpuId gpu) const {
        const KindId here = problem_.kind(gpu);
        if (!jobs_.can_run_on(here, job) || jobs_.time(here, job) <= Duration::zero()) return 1;
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t k = 0; k < problem_.batch().kinds.size(); ++k)
            if (jobs_.can_run_on(KindId(k), job))
                least = std::min(least, problem_.prices().of(KindId(k)) * to_seconds(jobs_.time(KindId(k), job)));
        const double price = problem_.prices().of(here) * to_seconds(jobs_.time(here, job));
        return price > 0 ? least / price : 1;
    }

    /// Whether the model's next job had better wait for another kind.
    bool is_ill_placed(const Model& model, GpuId gpu) const {
        return weights_.picky > 0 && !eager_ && !model.queue.empty() &&
               fitness(model.queue.top(), gpu) < weights_.picky;
    }

    void change(GpuId gpu) {
        if (seat(gpu).claimed) {
            begin_gang(*seat(gpu).claimed, seat(gpu).claimed_for);
            return;
        }
        std::vector<std::pair<double, ModelId>> wishes;
        for (std::uint32_t m = 0; m < models_.size(); ++m) {
            if (models_[m].queue.empty() || is_ill_placed(models_[m], gpu)) continue;
            const ModelId id(m);
            const Duration load = problem_.switch_cost()(problem_.kind(gpu), seat(gpu).model, id);
            const double value = worth(models_[m], gpu);
            if (!eager_ && value < weights_.threshold * to_seconds(load)) continue;
            wishes.emplace_back(-value, id);
        }
        std::sort(wishes.begin(), wishes.end());
        for (const auto& [value, id] : wishes)
            if (problem_.batch().models[id.value()].gpus == 1 ? load_single(gpu, id) : claim_window(gpu, id)) return;
    }

    bool load_single(GpuId gpu, ModelId id) {
        const auto& spans = problem_.spans(id);
        const GpuSpan span{gpu, 1};
        const bool has_room = std::binary_search(spans.begin(), spans.end(), span,
                                                 [](const GpuSpan& a, const GpuSpan& b) { return a.first < b.first; });
        return has_room && start(span, id);
    }

    /// A window with this GPU in it, whose members wait for each other. Where nothing runs any more, any place will do.
    bool claim_window(GpuId gpu, ModelId id) {
        for (const GpuSpan& span : eager_ ? problem_.spans(id) : windows_[id.value()]) {
            if (!span.contains(gpu) || !can_claim(span, id)) continue;
            for (GpuId member = span.first; member < span.end(); member = member.next()) {
                seat(member).claimed = span;
                seat(member).claimed_for = id;
            }
            ++models_[id.value()].holders;  // counted from the claim on
            begin_gang(span, id);
            return true;
        }
        return false;
    }

    bool can_claim(const GpuSpan& span, ModelId id) {
        if (problem_.time(models_[id.value()].queue.top(), span) < Duration::zero()) return false;
        for (GpuId member = span.first; member < span.end(); member = member.next())
            if (seat(member).away || seat(member).claimed || (seat(member).busy && seat(member).span.count > 1))
                return false;
        return true;
    }

    void begin_gang(const GpuSpan& span, ModelId id) {
        for (GpuId member = span.first; member < span.end(); member = member.next())
            if (seat(member).busy) return;
        for (GpuId member = span.first; member < span.end(); member = member.next()) seat(member).claimed.reset();
        --models_[id.value()].holders;  // settling counts it again
        start(span, id);
    }

    const Problem& problem_;
    const Jobs& jobs_;
    const DispatchWeights weights_;
    Random random_;
    const std::vector<Duration> levels_;
    const Shelving shelf_;
    std::vector<JobIndex> next_;  ///< Behind each job in its queue.
    Fleet fleet_;
    std::vector<Model> models_;
    std::vector<Seat> seats_;
    std::vector<std::vector<GpuSpan>> windows_;  ///< Where each gang model may settle.
    std::vector<std::uint32_t> open_;
    std::vector<GpuId> idle_;
    std::vector<JobIndex> passed_over_;
    using End = std::tuple<Instant, JobIndex, GpuSpan>;
    struct Later {
        bool operator()(const End& a, const End& b) const {
            return std::tie(std::get<0>(a), std::get<1>(a)) > std::tie(std::get<0>(b), std::get<1>(b));
        }
    };
    std::priority_queue<End, std::vector<End>, Later> ends_;
    std::vector<PlannedJob> planned_;
    std::size_t wanted_;  ///< Jobs to be placed.
    Instant now_ = kStart;
    bool from_the_middle_ = false;
    bool eager_ = false;
};

}  // namespace

std::vector<PlannedJob> dispatch(const Problem& problem, const std::vector<Duration>& levels,
                                 const DispatchWeights& weights) {
    return Pass(problem, levels, weights).run();
}

std::vector<PlannedJob> dispatch(const Problem& problem, const std::vector<Duration>& levels,
                                 const DispatchWeights& weights, const Situation& situation) {
    return Pass(problem, levels, weights, situation).run();
}

}  // namespace sy::plan
