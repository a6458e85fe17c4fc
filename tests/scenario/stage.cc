#include "scenario/stage.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "core/queue/registry.h"
#include "input/fields.h"

namespace sy::scenario {

namespace {

std::vector<std::string> split(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

/// "gpu3", "gpu3:" and "3" alike.
std::uint32_t number_in(const std::string& word) {
    const std::size_t digit = word.find_first_of("0123456789");
    if (digit == std::string::npos) throw std::invalid_argument("'" + word + "' holds no number");
    return static_cast<std::uint32_t>(std::stoul(word.substr(digit)));
}

Duration duration_in(const std::string& word) {
    const auto duration = input::parse_duration(word);
    if (!duration) throw std::invalid_argument("'" + word + "' is no duration");
    return *duration;
}

Level level_in(const std::string& word) {
    for (const Level level : {Level::critical, Level::high, Level::normal, Level::low})
        if (word == name_of(level)) return level;
    throw std::invalid_argument("'" + word + "' is no level");
}

Outcome outcome_in(const std::string& word) {
    if (word == "done") return Outcome::succeeded;
    if (word == "failed") return Outcome::failed;
    if (word == "timed-out") return Outcome::timed_out;
    if (word == "stopped") return Outcome::stopped;
    throw std::invalid_argument("'" + word + "' is no outcome");
}

/// Effects that would only repeat what every scenario knows.
bool is_chatter(const Effect& effect) {
    return std::holds_alternative<WakeAt>(effect) || std::holds_alternative<BeatHeard>(effect) ||
           std::holds_alternative<ReportHeard>(effect);
}

}  // namespace

Stage::Stage() : core_(settings_) {}

std::vector<std::string> Stage::play(std::string_view command) {
    transcript_.clear();
    try {
        std::string rest(command);
        if (rest.starts_with("at ")) {
            const auto words = split(rest);
            asked_ = kStart + duration_in(words.at(1));
            pass_time(asked_);
            rest = rest.substr(std::min(rest.size(), rest.find(words[1]) + words[1].size()));
            rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(' ')));
        }
        if (!rest.empty()) act(rest);
    } catch (const std::exception& e) {
        say(fmt::format("cannot play this: {}", e.what()));
    }
    return transcript_;
}

void Stage::act(const std::string& command) {
    const auto words = split(command);
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string(); };
    if (word(0) == "cluster") return set_up_cluster(words);
    if (word(0) == "submit") return submit(command.substr(6));
    if (word(0) == "cancel") return feed(CancelTask{RequestId(++requests_), TaskId(number_in(word(2)))});
    if (word(0) == "move") return move(words);
    if (word(0) == "report") return report(words);
    if (word(0) == "hello") return hello(GpuId(number_in(word(2))));
    if (word(0) == "beat") {
        const bool holds = word(3) == "holding" && word(4) != "nothing";
        return beat(GpuId(number_in(word(2))),
                    holds ? fences_.at({TaskId(number_in(word(5))), number_in(word(7))}) : Fence{});
    }
    if (word(0) == "silence") {
        puppets_.at(number_in(word(2))).silent = true;
        return;
    }
    if (word(0) == "crash") return crash_and_recover();
    if (word(0) == "explain") return explain(TaskId(number_in(word(2))));
    if (word(0) == "show") return show();
    if (word(0) == "pause") return feed(PauseQueue{true});
    if (word(0) == "resume") return feed(PauseQueue{false});
    if (word(0) == "drain") return feed(Drain{});
    if (word(0) == "preemption") {
        settings_.preemption = Preemption::checkpoint;
        return use(settings_.policy);
    }
    if (word(0) == "order") return use({.order = word(1), .fit = settings_.policy.fit, .place = "first-fit"});
    if (word(0) == "fit") return use({.order = settings_.policy.order, .fit = word(1), .place = "first-fit"});
    throw std::invalid_argument("no command begins with '" + word(0) + "'");
}

/// Before there is a cluster.
void Stage::use(const schedule::Policy& policy) {
    if (const auto scheduler = schedule::make_live_scheduler(policy); !scheduler)
        throw std::invalid_argument(scheduler.error().message);
    settings_.policy = policy;
    core_ = control::Core(settings_);
}

/// cluster 2 gpus · cluster 2 nodes of 4 gpus · … with 80 GB
void Stage::set_up_cluster(const std::vector<std::string>& words) {
    const bool has_nodes = words.size() > 4 && words[2].starts_with("node");
    const std::uint32_t nodes = has_nodes ? number_in(words.at(1)) : 1;
    const std::uint32_t gpus = number_in(words.at(has_nodes ? 4 : 1));
    const bool has_memory = words.size() > 2 && words.back() == "GB";
    const Bytes memory = gigabytes(has_memory ? number_in(words[words.size() - 2]) : 80);

    whisper_ = true;
    for (std::uint32_t n = 0; n < nodes; ++n) feed(AddNode{std::vector(gpus, GpuSpec{memory})});
    puppets_.resize(core_.ledger().gpu_count());
    for (std::uint32_t i = 0; i < puppets_.size(); ++i) hello(GpuId(i));
    whisper_ = false;
    show();
}

/// submit NAME (gpus 2, memory 40, retries 1, level HIGH, timeout 10min, seconds 60, user 2, saves 30s): all of it
/// optional.
void Stage::submit(const std::string& rest) {
    SubmitTask event{RequestId(++requests_), {}};
    const std::size_t open = rest.find('(');
    std::string options = open == std::string::npos ? "" : rest.substr(open + 1, rest.find(')') - open - 1);
    std::replace(options.begin(), options.end(), ',', ' ');
    const auto words = split(options);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        const std::string& key = words[i];
        const std::string& value = words[i + 1];
        if (key == "gpus") {
            event.spec.demand.gpus = number_in(value);
        } else if (key == "memory") {
            event.spec.demand.memory = gigabytes(number_in(value));
        } else if (key == "retries") {
            event.spec.retries = number_in(value);
        } else if (key == "level") {
            event.spec.level = level_in(value);
        } else if (key == "timeout") {
            event.spec.timeout = duration_in(value);
        } else if (key == "seconds") {
            event.spec.estimate = std::chrono::seconds(number_in(value));
        } else if (key == "once") {
            event.spec.at_most_once = value == "yes";
        } else if (key == "saves") {
            event.spec.checkpoint_grace = duration_in(value);
        } else if (key == "user") {
            event.spec.user = NameId(number_in(value));
        } else {
            throw std::invalid_argument("a task has no '" + key + "'");
        }
    }
    feed(event);
}

/// report from gpu0: task 1 attempt 1 done
void Stage::report(const std::vector<std::string>& words) {
    const GpuId gpu(number_in(words.at(2)));
    const TaskId task(number_in(words.at(4)));
    const std::uint32_t attempt = number_in(words.at(6));
    feed(Report{gpu, task, attempt, fences_.at({task, attempt}), outcome_in(words.at(7))});
}

void Stage::hello(GpuId gpu) {
    Puppet& puppet = puppets_.at(gpu.value());
    puppet.silent = false;
    puppet.next_beat = now_ + Timing{}.heartbeat_interval;
    feed(Hello{gpu, {gpu.value() + std::uint64_t{1}, ++puppet.hellos}});
}

void Stage::beat(GpuId gpu, Fence newest) {
    Puppet& puppet = puppets_.at(gpu.value());
    feed(Heartbeat{gpu, puppet.session, ++puppet.beats, newest});
}

void Stage::crash_and_recover() {
    const std::string before = core_.snapshot();
    auto restored = control::Core::restore(before, settings_);
    if (!restored) throw std::runtime_error(restored.error().message);
    core_ = *std::move(restored);
    say(core_.snapshot() == before ? "recovered, state unchanged" : "recovered, STATE CHANGED");
    feed(ServerStarted{});
}

/// move task 3 to the front · … to the back · … before task 2
void Stage::move(const std::vector<std::string>& words) {
    MoveTask event{.request = RequestId(++requests_), .task = TaskId(number_in(words.at(2)))};
    if (words.at(3) == "before") {
        event.to = MoveTo::before;
        event.other = TaskId(number_in(words.at(5)));
    } else {
        event.to = words.at(5) == "back" ? MoveTo::back : MoveTo::front;
    }
    feed(event);
}

void Stage::explain(TaskId task) {
    const auto why = core_.explain(task);
    if (!why) return say(fmt::format("task {} is not waiting", task.value()));
    say(why->first_in_line ? fmt::format("position {}, behind task {}", why->position, why->first_in_line->value())
                           : "first in line");
    const auto& g = why->gpus;
    say(fmt::format("{} GPUs: {} suitable, {} busy, {} too small, {} with too few neighbours, {} without worker{}",
                    g.total(), g.suitable, g.busy, g.too_small, g.gang_short, g.no_worker,
                    g.kept > 0 ? fmt::format(", {} being cleared", g.kept) : ""));
    if (!why->cleared) return;
    const std::uint32_t first = why->cleared->first.value();
    say(fmt::format("{} being cleared for it",
                    why->cleared->count == 1 ? fmt::format("gpu{} is", first)
                                             : fmt::format("gpu{}-{} are", first, why->cleared->end().value() - 1)));
}

void Stage::show() {
    std::vector<std::string> gpus;
    const auto& ledger = core_.ledger();
    for (GpuId gpu(0); ledger.knows(gpu); gpu = gpu.next()) {
        const auto holder = ledger.holder(gpu);
        gpus.push_back(fmt::format("gpu{} {}", gpu.value(),
                                   holder                   ? fmt::format("task {}", holder->value())
                                   : ledger.is_present(gpu) ? "free"
                                                            : "lost"));
    }
    say(fmt::format("{}", fmt::join(gpus, ", ")));
    for (const TaskId id : seen_)
        if (const Task* task = core_.find(id)) say(fmt::format("task {} {}", id.value(), name_of(task->state)));
}

/// Lets everything happen that is due before `until` and at it, in order of time.
void Stage::pass_time(Instant until) {
    if (until < now_) throw std::invalid_argument("time does not run backwards");
    while (true) {
        Instant next = wake_;
        std::optional<GpuId> beating;
        for (std::uint32_t i = 0; i < puppets_.size(); ++i) {
            if (puppets_[i].silent || puppets_[i].next_beat > next) continue;
            next = puppets_[i].next_beat;
            beating = GpuId(i);
        }
        if (next > until) break;
        now_ = std::max(now_, next);
        if (beating) {
            Puppet& puppet = puppets_[beating->value()];
            puppet.next_beat = now_ + Timing{}.heartbeat_interval;
            beat(*beating, puppet.newest);
        } else {
            wake_ = kNever;
            feed(Tick{});
        }
    }
    now_ = until;
}

void Stage::feed(const Event& event) {
    const auto effects = core_.step(event, now_);
    for (const Effect& effect : std::vector(effects.begin(), effects.end())) hear(effect);
}

void Stage::hear(const Effect& effect) {
    if (const auto* wake = std::get_if<WakeAt>(&effect)) wake_ = wake->at;
    if (const auto* welcome = std::get_if<Welcome>(&effect))
        puppets_.at(welcome->gpu.value()).session = welcome->session;
    if (const auto* accepted = std::get_if<Accepted>(&effect)) seen_.insert(accepted->task);
    if (const auto* start = std::get_if<StartAttempt>(&effect)) {
        fences_[{start->task, start->attempt}] = start->fence;
        puppets_.at(start->span.lead().value()).newest = start->fence;
    }
    if (!is_chatter(effect)) say(describe(effect));
}

void Stage::say(const std::string& line) {
    if (whisper_) return;
    transcript_.push_back(now_ == asked_ ? line : describe(now_ - kStart) + ": " + line);
}

}  // namespace sy::scenario
