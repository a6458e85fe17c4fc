// Problem: policies differ most where work is bursty, heavy-tailed and of several kinds, and no real trace may be
// passed on with the program. So traces are drawn, from laws that are named and with figures one can turn.
//
// Choice: what jobs are (drafts) and when they come (arrivals) are drawn apart, each from a generator of its own. With
// a number of jobs given, the drafts come first and their real work sets the rate, so that the load is met however
// heavy the tail; with hours given, arrivals come first at the rate that expected work would need.
//
// Three kinds of work (S2):
// - batch: any length, a gang of GPUs; half of them repeat what their user did before, so that there is something to
//   learn from names; some have deadlines;
// - online: one GPU, short (a hundredth of the mean), HIGH or CRITICAL, due within ten of their mean lengths;
// - stream: a few streams never end; each sends a window of work once a period, which is due when the next one comes.
//
// Users share the work as Zipf says; each has up to three models.
#include "sim/generate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "input/interning.h"
#include "sim/arrivals.h"
#include "sim/draw.h"

namespace sy::sim {

namespace {

constexpr double kLongestInMeans = 1000;  ///< Where the tail of a law is cut.
constexpr std::size_t kModelsPerUser = 3;
constexpr std::size_t kRemembered = 8;  ///< Projects of a user that may be repeated.
constexpr std::uint32_t kStreams = 4;
constexpr double kOnlinePatience = 10;  ///< In mean lengths of online work.
constexpr Duration kLongestEstimate = 24h * 365 * 100;
/// Far beyond what the check lets through, and near enough to add any length to it.
constexpr Duration kLatestSubmit = 24h * 365 * 50;

/// A job before it has a time.
struct Draft {
    Work work = Work::batch;
    Level level = Level::normal;
    GpuCount gpus = 1;
    Duration length{};
    Duration estimate{};
    std::optional<Duration> due;  ///< After it came.
    std::uint32_t user = 0;
    std::uint32_t model = 0;
    std::uint32_t project = 0;  ///< Of batch work: jobs with the same one are alike. Of streams: which one.
};

/// What a user runs again and again.
struct Project {
    std::uint32_t number = 0;
    std::uint32_t model = 0;
    GpuCount gpus = 1;
    double seconds = 0;
};

class Drafting {
public:
    Drafting(const Recipe& recipe, Random random)
        : recipe_(recipe),
          random_(random),
          users_(zipf_weights(recipe.users)),
          models_(zipf_weights(kModelsPerUser)),
          gangs_(weights_of(recipe.gangs)),
          projects_(recipe.users) {}

    /// Batch or online, as the mix says.
    Draft job() {
        const Mix& mix = recipe_.mix;
        return random_.chance(mix.online / (mix.batch + mix.online)) ? online() : batch();
    }

    Draft window(std::uint32_t stream) {
        Draft draft;
        draft.work = Work::stream;
        draft.user = stream % recipe_.users;
        draft.model = draft.user * kModelsPerUser;
        draft.project = stream;
        set_length(draft, mean() * kWindowLength * (0.8 + 0.4 * random_.uniform()));
        return draft;
    }

private:
    double mean() const { return to_seconds(recipe_.lengths.mean); }

    static std::vector<double> weights_of(const std::vector<GangShare>& gangs) {
        std::vector<double> weights;
        for (const GangShare& gang : gangs) weights.push_back(gang.weight);
        return weights;
    }

    Draft batch() {
        Draft draft;
        draft.user = static_cast<std::uint32_t>(users_.draw(random_));
        const Project& project = project_of(draft.user);
        draft.project = project.number;
        draft.model = project.model;
        draft.gpus = project.gpus;
        const bool varies = recipe_.lengths.law != Lengths::fixed;
        set_length(draft, project.seconds * (varies ? 0.9 + 0.2 * random_.uniform() : 1));
        const double level = random_.uniform();
        draft.level = level < 0.1 ? Level::high : level < 0.8 ? Level::normal : Level::low;
        if (random_.chance(recipe_.deadlines))
            draft.due =
                draft.length + to_milliseconds(to_seconds(draft.length) * recipe_.slack * 2 * random_.uniform());
        return draft;
    }

    Draft online() {
        Draft draft;
        draft.work = Work::online;
        draft.user = static_cast<std::uint32_t>(users_.draw(random_));
        draft.model = model_of(draft.user);
        draft.level = random_.chance(0.05) ? Level::critical : Level::high;
        set_length(draft, mean() * kOnlineLength * draw_exponential(random_));
        draft.due = draft.length + to_milliseconds(mean() * kOnlineLength * kOnlinePatience);
        return draft;
    }

    std::uint32_t model_of(std::uint32_t user) {
        return static_cast<std::uint32_t>(user * kModelsPerUser + models_.draw(random_));
    }

    /// One of the user's own, or a new one that takes the place of an old one.
    const Project& project_of(std::uint32_t user) {
        std::vector<Project>& known = projects_[user];
        if (!known.empty() && random_.chance(recipe_.repeats)) return known[random_.below(known.size())];
        const Project made{++made_, model_of(user), recipe_.gangs[gangs_.draw(random_)].gpus, draw_length()};
        if (known.size() < kRemembered) return known.emplace_back(made);
        return known[made_ % kRemembered] = made;
    }

    double draw_length() {
        const LengthLaw& lengths = recipe_.lengths;
        const auto factor = [&] {
            switch (lengths.law) {
                case Lengths::exponential: return draw_exponential(random_);
                case Lengths::lognormal: return draw_lognormal(random_, lengths.shape);
                case Lengths::pareto: return draw_pareto(random_, lengths.shape);
                case Lengths::hyperexponential: return draw_hyperexponential(random_, lengths.shape);
                case Lengths::fixed: return 1.0;
            }
            return 1.0;
        };
        return mean() * std::min(factor(), kLongestInMeans);
    }

    void set_length(Draft& draft, double seconds) {
        draft.length = std::max<Duration>(to_milliseconds(seconds), 1ms);
        const double noise = natural_exp(recipe_.estimate_noise * draw_normal(random_));
        const double estimate = std::min(to_seconds(draft.length) * noise, to_seconds(kLongestEstimate));
        draft.estimate = recipe_.estimate_noise > 0 ? std::max<Duration>(to_milliseconds(estimate), 1ms) : draft.length;
    }

    const Recipe& recipe_;
    Random random_;
    Weighted users_;
    Weighted models_;
    Weighted gangs_;
    std::vector<std::vector<Project>> projects_;
    std::uint32_t made_ = 0;
};

/// Drafts and, in the same order, when they come.
struct Flow {
    std::vector<Draft> drafts;
    std::vector<Duration> times;
};

double work_of(const std::vector<Draft>& drafts) {
    double work = 0;
    for (const Draft& draft : drafts) work += to_seconds(draft.length) * draft.gpus;
    return work;
}

/// Windows of streams that share a period come by turns, always in the same order.
std::vector<Duration> window_times(double rate, const Until& until, Random random) {
    std::vector<double> phases;
    for (std::uint32_t i = 0; i < kStreams; ++i) phases.push_back(random.uniform());
    std::sort(phases.begin(), phases.end());
    const double period = kStreams / rate;
    std::vector<Duration> times;
    for (std::uint64_t i = 0; times.size() < until.count; ++i) {
        const std::uint64_t turn = i / kStreams;
        const Duration at = to_milliseconds((phases[i % kStreams] + static_cast<double>(turn)) * period);
        if (at >= until.span) break;
        times.push_back(at);
    }
    return times;
}

class Generation {
public:
    explicit Generation(const Recipe& recipe)
        : recipe_(recipe),
          root_(recipe.seed),
          arrivals_(root_.split()),
          windows_(root_.split()),
          drafting_(recipe, root_.split()),
          stream_share_(recipe.mix.stream / (recipe.mix.batch + recipe.mix.online + recipe.mix.stream)) {}

    Trace run() {
        if (recipe_.jobs > 0) {
            by_jobs();
        } else {
            by_span();
        }
        set_window_deadlines();
        return assemble();
    }

private:
    void by_jobs() {
        const auto windows =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(recipe_.jobs) * stream_share_));
        draft(recipe_.jobs - windows, windows);
        const double work = work_of(jobs_.drafts) + work_of(streams_.drafts);
        const double span = recipe_.span > 0s ? to_seconds(recipe_.span)
                                              : work / (recipe_.load * static_cast<double>(recipe_.capacity));
        rate_ = static_cast<double>(recipe_.jobs) / span;
        draw_times({recipe_.jobs - windows, kLatestSubmit}, {windows, kLatestSubmit});
        for (Flow* flow : {&jobs_, &streams_}) flow->drafts.resize(flow->times.size());
    }

    void by_span() {
        rate_ = recipe_.load * static_cast<double>(recipe_.capacity) / mean_work(recipe_);
        draw_times({kMostGenerated, recipe_.span}, {kMostGenerated, recipe_.span});
        draft(jobs_.times.size(), streams_.times.size());
    }

    void draft(std::uint64_t jobs, std::uint64_t windows) {
        for (std::uint64_t i = 0; i < jobs; ++i) jobs_.drafts.push_back(drafting_.job());
        for (std::uint64_t i = 0; i < windows; ++i)
            streams_.drafts.push_back(drafting_.window(static_cast<std::uint32_t>(i % kStreams)));
    }

    void draw_times(const Until& jobs, const Until& windows) {
        if (stream_share_ < 1)
            jobs_.times = draw_arrivals(recipe_.arrivals, rate_ * (1 - stream_share_), jobs, arrivals_);
        if (stream_share_ > 0) streams_.times = window_times(rate_ * stream_share_, windows, windows_);
    }

    void set_window_deadlines() {
        if (stream_share_ <= 0) return;
        const Duration period =
            to_milliseconds(std::min(kStreams / (rate_ * stream_share_), to_seconds(kLatestSubmit)));
        for (Draft& draft : streams_.drafts) draft.due = std::max(period, 2 * draft.length);
    }

    Trace assemble() {
        Trace trace;
        input::Interning<std::string> users(trace.users), models(trace.models), names(trace.names);
        input::Interning<Demand> demands(trace.demands);
        const std::size_t count = jobs_.times.size() + streams_.times.size();
        for (std::size_t i = 0, j = 0; i + j < count;) {
            const bool is_window =
                i == jobs_.times.size() || (j < streams_.times.size() && streams_.times[j] < jobs_.times[i]);
            const Duration at = is_window ? streams_.times[j] : jobs_.times[i];
            const Draft& draft = is_window ? streams_.drafts[j++] : jobs_.drafts[i++];
            Job job;
            job.submit = kStart + at;
            job.length = draft.length;
            job.estimate = draft.estimate;
            if (draft.due) job.deadline = job.submit + *draft.due;
            job.level = draft.level;
            job.work = draft.work;
            job.user = NameId(users.number_of(fmt::format("user-{}", draft.user + 1)));
            job.model = NameId(models.number_of(fmt::format("model-{}", draft.model + 1)));
            job.name = NameId(names.number_of(name_of(draft)));
            job.demand = DemandId(demands.number_of(Demand{.gpus = draft.gpus}));
            trace.jobs.push_back(job);
            trace.ids.push_back(std::to_string(trace.jobs.size()));
        }
        return trace;
    }

    static std::string name_of(const Draft& draft) {
        switch (draft.work) {
            case Work::batch: return fmt::format("project-{}", draft.project);
            case Work::online: return fmt::format("ask-{}", draft.model + 1);
            case Work::stream: return fmt::format("stream-{}", draft.project + 1);
        }
        return {};
    }

    const Recipe& recipe_;
    Random root_;
    Random arrivals_;
    Random windows_;
    Drafting drafting_;
    double stream_share_;
    double rate_ = 0;  ///< Of all jobs, a second.
    Flow jobs_;
    Flow streams_;
};

}  // namespace

Trace generate(const Recipe& recipe) {
    return Generation(recipe).run();
}

double offered_load(const Trace& trace, std::uint64_t gpus) {
    if (trace.jobs.empty() || gpus == 0) return 0;
    const double span = to_seconds(trace.jobs.back().submit - trace.jobs.front().submit);
    double work = 0;
    for (const Job& job : trace.jobs) work += to_seconds(job.length) * trace.demand_of(job).gpus;
    return span > 0 ? work / (span * static_cast<double>(gpus)) : 0;
}

}  // namespace sy::sim
