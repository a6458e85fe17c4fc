#include "core/agent/agent.h"

#include <algorithm>

#include "base/sabotage.h"

namespace sy::agent {

namespace {
/// Beats whose answer may still come. More could not renew anything: the lease is over by then.
constexpr std::size_t kMostUnheard = 16;
}  // namespace

Agent::Agent(GpuId gpu, std::uint64_t incarnation, Timing timing)
    : gpu_(gpu), incarnation_(incarnation), timing_(timing) {}

std::span<const Effect> Agent::step(const Event& event, Instant now) {
    now_ = std::clamp(now, now_, kEnd);
    effects_.clear();
    std::visit([this](const auto& e) { on(e); }, event);
    do_what_is_due();
    effects_.emplace_back(WakeAt{next_due()});
    return effects_;
}

bool Agent::is_to_run(Fence fence) const {
    return std::any_of(pending_.begin(), pending_.end(),
                       [&](const StartAttempt& start) { return start.fence == fence; });
}

// ---- the stay with the server -------------------------------------------------------------------------------------

void Agent::on(const Welcome& message) {
    if (session_ || message.name != HelloName{incarnation_, hello_number_}) return;
    session_ = message.session;
    lease_end_ = hello_first_sent_ + timing_.lease();
    last_beat_ = 0;
    unheard_.clear();
    beat_due_ = now_;
}

void Agent::on(const HelloRefused& message) {
    if (session_ || message.name != HelloName{incarnation_, hello_number_}) return;
    hello_number_ = message.latest + 1;
    hello_first_sent_ = kNever;
    hello_due_ = now_;
}

void Agent::on(const Expelled& message) {
    if (session_ == message.session) leave_session();
}

void Agent::on(const BeatHeard& message) {
    if (session_ != message.session) return;
    while (!unheard_.empty() && unheard_.front().beat <= message.beat) {
        if (unheard_.front().beat == message.beat)
            lease_end_ = std::max(lease_end_, unheard_.front().at + timing_.lease());
        unheard_.pop_front();
    }
}

/// From here on the server may give our task to another. End it; say hello only when it is gone.
void Agent::leave_session() {
    session_.reset();
    lease_end_ = beat_due_ = kNever;
    ++hello_number_;
    hello_first_sent_ = kNever;
    hello_due_ = now_;
    pending_.clear();
    unloading_ = {};
    if (process_ && !sabotaged(Bug::lease_ignored)) end_process(std::nullopt);
}

// ---- attempts -----------------------------------------------------------------------------------------------------

void Agent::on(const StartAttempt& message) {
    const bool is_first = message.behind == Fence{};
    if (session_ != message.session || (process_ && is_first) || message.behind > newest_) return;
    if (message.fence <= newest_ && !sabotaged(Bug::old_start_obeyed)) return;
    newest_ = message.fence;
    if (is_first) reports_.clear();  // the server would not put it first had it not heard them all
    pending_.push_back(message);
    launch_next();
}

void Agent::launch_next() {
    if (process_ || pending_.empty()) return;
    const StartAttempt start = std::move(pending_.front());
    pending_.pop_front();
    launched_ = start.fence;
    process_ = Process{
        .task = start.task, .attempt = start.attempt, .fence = start.fence, .deadline = later(now_, start.timeout)};
    const NameId beside = start.fence > last_keep_ ? start.beside : NameId{};  // it may have had to go since
    effects_.emplace_back(Launch{start.span, start.task, start.attempt, start.fence, start.model, start.keep, beside});
}

void Agent::on(const StopAttempt& message) {
    if (process_ && process_->fence == message.fence) {
        if (message.notice > Duration::zero()) {
            interrupt_process(message.notice);
        } else if (!message.unless_begun) {
            end_process(Outcome::stopped);
        }
        return;
    }
    const auto removed = std::erase_if(pending_, [&](const StartAttempt& s) { return s.fence == message.fence; });
    const bool is_first = message.behind == Fence{};
    const bool never_came = message.fence > newest_ && message.behind <= newest_ && !(process_ && is_first);
    if (removed == 0 && !never_came) return;
    newest_ = std::max(newest_, message.fence);
    tell({gpu_, message.task, message.attempt, message.fence, Outcome::stopped});
}

void Agent::on(const ReportHeard& message) {
    std::erase_if(reports_, [&](const Unheard& unheard) { return unheard.report.fence == message.fence; });
}

void Agent::tell(const Report& report) {
    reports_.push_back({report, now_});
    effects_.emplace_back(report);
}

/// What began last has said what may stay, unless this is newer. Without a number it is for want of use only, and only
/// while nothing runs.
void Agent::on(const KeepModels& message) {
    if (!session_) return;
    const bool counts = message.number == Fence{} ? !process_ : message.number > launched_;
    if (counts) effects_.emplace_back(message);
    unloading_ = std::max(unloading_, message.number);
    last_keep_ = std::max(last_keep_, message.number);
}

void Agent::on(const Settled&) {
    if (session_ && unloading_ != Fence{}) effects_.emplace_back(Unloaded{gpu_, *session_, unloading_});
    unloading_ = {};
}

/// However it ends from here on, it was stopped. Its timeout does not matter any more.
void Agent::interrupt_process(Duration notice) {
    if (process_->ending || process_->end_at != kNever) return;  // said again
    process_->verdict = Outcome::stopped;
    process_->end_at = later(now_, notice);
    effects_.emplace_back(Interrupt{process_->fence});
}

void Agent::end_process(std::optional<Outcome> verdict) {
    process_->verdict = verdict;
    if (process_->ending) return;
    process_->ending = true;
    process_->kill_at = now_ + timing_.stop_grace;
    effects_.emplace_back(Terminate{process_->fence});
}

void Agent::on(const ProcessEnded& event) {
    if (!process_ || process_->fence != event.fence) return;
    const Process ended = *process_;
    process_.reset();
    if (ended.ending && !ended.verdict) return;  // void: nobody waits for it
    const Outcome outcome = ended.verdict ? *ended.verdict : event.success ? Outcome::succeeded : Outcome::failed;
    tell({gpu_, ended.task, ended.attempt, ended.fence, outcome, event.model_held, event.out_of_memory, event.ran});
    launch_next();
}

// ---- what time brings ---------------------------------------------------------------------------------------------

void Agent::on(const Reconnected&) {
    hello_due_ = now_;
    if (session_) beat_due_ = now_;
    for (Unheard& unheard : reports_) unheard.said = kStart;
}

void Agent::do_what_is_due() {
    if (session_ && now_ >= lease_end_) leave_session();
    if (process_ && !process_->ending && now_ >= process_->end_at) end_process(Outcome::stopped);
    if (process_ && !process_->ending && !process_->verdict && now_ >= process_->deadline)
        end_process(Outcome::timed_out);
    if (process_ && now_ >= process_->kill_at) {
        process_->kill_at = kNever;
        effects_.emplace_back(Kill{process_->fence});
    }
    if (session_ && now_ >= beat_due_) beat();
    if (!session_ && !process_ && now_ >= hello_due_) say_hello();
}

void Agent::beat() {
    unheard_.push_back({++last_beat_, now_});
    if (unheard_.size() > kMostUnheard) unheard_.pop_front();
    beat_due_ = now_ + timing_.heartbeat_interval;
    effects_.emplace_back(Heartbeat{gpu_, *session_, last_beat_, newest_});
    repeat_reports();
}

/// One that was said just now may be heard yet.
void Agent::repeat_reports() {
    for (Unheard& unheard : reports_) {
        if (now_ - unheard.said < timing_.hello_interval) continue;
        unheard.said = now_;
        effects_.emplace_back(unheard.report);
    }
}

/// A result that nobody has heard goes first: a hello would make it void. Models go at once: others may be about to
/// start where they lie.
void Agent::say_hello() {
    hello_due_ = now_ + timing_.hello_interval;
    effects_.emplace_back(KeepModels{gpu_, {}, {}});
    if (!reports_.empty()) return repeat_reports();
    if (hello_first_sent_ == kNever) hello_first_sent_ = now_;
    effects_.emplace_back(Hello{gpu_, {incarnation_, hello_number_}});
}

Instant Agent::next_due() const {
    Instant next = session_ ? std::min(lease_end_, beat_due_) : process_ ? kNever : hello_due_;
    if (process_ && !process_->ending) next = std::min(next, process_->verdict ? process_->end_at : process_->deadline);
    if (process_) next = std::min(next, process_->kill_at);
    return next;
}

}  // namespace sy::agent
