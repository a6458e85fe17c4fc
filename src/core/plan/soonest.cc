#include "core/plan/soonest.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace sy::plan {

namespace {

/// Up to this many places a gang looks at each.
constexpr std::size_t kFewPlaces = 64;

std::vector<std::uint32_t> classes_of(const Batch& batch) {
    std::map<std::pair<KindId, Bytes>, std::uint32_t> numbers;
    std::vector<std::uint32_t> classes;
    for (const BatchGpu& gpu : batch.gpus)
        classes.push_back(
            numbers.try_emplace({gpu.kind, gpu.memory}, static_cast<std::uint32_t>(numbers.size())).first->second);
    return classes;
}

}  // namespace

/// The best offer so far.
struct Appender::Choice {
    const Appender& appender;
    JobIndex job;
    Instant ready;
    const Taste& taste;
    std::optional<PlannedJob> best;
    std::tuple<Instant, bool, Instant, GpuId> judgement;

    void look(const GpuSpan& span) {
        const auto offer = appender.fleet_.offer(job, span, ready);
        if (!offer) return;
        Instant free = kStart;
        for (GpuId gpu = span.first; gpu < span.end(); gpu = gpu.next())
            free = std::max(free, appender.fleet_.free_at(gpu));
        const std::tuple judged(offer->end + extra(*offer), offer->load.has_value(), free, span.first);
        if (best && judged >= judgement) return;
        best = offer;
        judgement = judged;
    }

    Duration extra(const PlannedJob& offer) const {
        const Duration load = offer.load ? offer.load->end - offer.load->start : Duration::zero();
        double sum = taste.dread * static_cast<double>(load.count());
        if (!taste.price.empty())
            sum += taste.price[appender.problem_.kind(offer.gpus.first).value()] *
                   static_cast<double>((load + (offer.end - offer.start)).count());
        return Duration(static_cast<std::int64_t>(sum));
    }
};

Appender::Appender(const Problem& problem)
    : problem_(problem),
      fleet_(problem, true),
      models_(problem.batch().models.size()),
      class_of_(classes_of(problem.batch())),
      shelf_of_(class_of_.size()) {
    const auto& gpus = problem.batch().gpus;
    const std::size_t classes = gpus.empty() ? 0 : *std::max_element(class_of_.begin(), class_of_.end()) + 1U;
    if (classes * (models_ + 1) > gpus.size()) return;
    shelves_.resize(classes * (models_ + 1));
    for (std::uint32_t gpu = 0; gpu < gpus.size(); ++gpu) put_on_shelf(GpuId(gpu), gpus[gpu].holds);
}

PlannedJob Appender::append(JobIndex job, Instant ready, const Taste& taste) {
    const ModelId model = problem_.jobs().model(job);
    const GpuCount count = problem_.batch().models[model.value()].gpus;
    Choice choice{*this, job, ready, taste, {}, {}};
    if (!shelves_.empty() && (count == 1 || problem_.spans(model).size() > kFewPlaces))
        for (std::size_t shelf = 0; shelf < shelves_.size(); ++shelf)
            if (const auto gpu = first_of(shelf)) look_around(*gpu, choice);
    const PlannedJob best = choice.best ? *choice.best : best_of_all(job, ready, taste);
    fleet_.take(best);
    if (!shelves_.empty())
        for (GpuId gpu = best.gpus.first; gpu < best.gpus.end(); gpu = gpu.next()) put_on_shelf(gpu, model);
    return best;
}

PlannedJob Appender::best_of_all(JobIndex job, Instant ready, const Taste& taste) const {
    Choice choice{*this, job, ready, taste, {}, {}};
    for (const GpuSpan& span : problem_.spans(problem_.jobs().model(job))) choice.look(span);
    SY_CHECK(choice.best.has_value(), "job {} has no place; the reader should have refused the batch", job);
    return *choice.best;
}

std::optional<GpuId> Appender::first_of(std::size_t shelf) {
    Shelf& heap = shelves_[shelf];
    while (!heap.empty()) {
        const Entry& top = heap.front();
        if (shelf_of_[top.gpu.value()] == shelf && fleet_.free_at(top.gpu) == top.free) return top.gpu;
        std::pop_heap(heap.begin(), heap.end(), std::greater<>());
        heap.pop_back();
    }
    return std::nullopt;
}

/// At every place of the job's model with this GPU in it.
void Appender::look_around(GpuId gpu, Choice& choice) const {
    const auto& spans = problem_.spans(problem_.jobs().model(choice.job));
    auto span =
        std::partition_point(spans.begin(), spans.end(), [&](const GpuSpan& place) { return place.end() <= gpu; });
    for (; span != spans.end() && span->contains(gpu); ++span) choice.look(*span);
}

void Appender::put_on_shelf(GpuId gpu, std::optional<ModelId> model) {
    const std::size_t shelf = class_of_[gpu.value()] * (models_ + 1) + (model ? model->value() + 1U : 0U);
    shelf_of_[gpu.value()] = shelf;
    shelves_[shelf].push_back({fleet_.free_at(gpu), gpu});
    std::push_heap(shelves_[shelf].begin(), shelves_[shelf].end(), std::greater<>());
}

}  // namespace sy::plan
