// Workers: who is with us. A worker's whole stay is one session; what it ran in an earlier one is void.
#include <algorithm>

#include "base/sabotage.h"
#include "core/control/core.h"

namespace sy::control {

void Core::on(const Hello& hello) {
    if (!ledger_.knows(hello.gpu) || ledger_.is_gone(hello.gpu)) return;
    const cluster::WorkerState& worker = health_.worker(hello.gpu);
    if (hello.name == worker.hello && health_.is_open(hello.gpu)) {  // said twice, or our welcome was lost
        effects_.emplace_back(Welcome{hello.gpu, hello.name, worker.session});
    } else if (hello.name.number <= worker.hello.number) {
        effects_.emplace_back(HelloRefused{hello.gpu, hello.name, worker.hello.number});
    } else {
        open_session(hello);
    }
}

void Core::open_session(const Hello& hello) {
    if (const auto holder = ledger_.holder(hello.gpu)) {
        Task& task = *tasks_.find(*holder);
        void_those_behind(hello.gpu, VoidCause::worker_restarted);
        if (task.span.lead() == hello.gpu) void_attempt(*holder, task, VoidCause::worker_restarted);
    }
    last_session_ = last_session_.next();
    health_.open(hello.gpu, hello.name, last_session_, now_);
    clear_shelf(hello.gpu);
    call_vacated(hello.gpu);
    set_present(hello.gpu, true);
    effects_.emplace_back(Welcome{hello.gpu, hello.name, last_session_});
    if (wake_ == kNever) plan_wake_up();
}

void Core::on(const Heartbeat& beat) {
    if (!ledger_.knows(beat.gpu)) return;
    if (!health_.is_open(beat.gpu) || health_.worker(beat.gpu).session != beat.session) {
        effects_.emplace_back(Expelled{beat.gpu, beat.session});
        return;
    }
    health_.hear(beat.gpu, now_);
    effects_.emplace_back(BeatHeard{beat.gpu, beat.session, beat.beat});
    say_again(beat);
}

/// Where the worker's view differs from ours, a message was lost or is still under way. Saying it twice does no harm.
void Core::say_again(const Heartbeat& beat) {
    if (std::any_of(vacating_.begin(), vacating_.end(), [&](const Vacating& v) { return v.worker == beat.gpu; }))
        say_what_to_keep(beat.gpu);
    const auto holder = ledger_.holder(beat.gpu);
    if (!holder) return;
    const auto say = [&](TaskId id) {
        const Task& task = *tasks_.find(id);
        if (task.span.lead() != beat.gpu) return;
        if (task.state == TaskState::stopping) {
            send_stop(id, task);
        } else if (task.fence > beat.newest) {
            send_start(id, task);
        }
    };
    say(*holder);
    for (const TaskId id : succession_.behind(beat.gpu)) say(id);
}

void Core::on(const ServerStarted&) {
    health_.forgive(now_);
    draining_ = false;
    changed_ = true;
    plan_wake_up();
}

void Core::on(const Tick&) {
    const Duration limit = settings_.timing.heartbeat_timeout;
    for (auto gpu = health_.silent(GpuId(0), limit, now_); gpu; gpu = health_.silent(gpu->next(), limit, now_))
        lose_worker(*gpu);
    let_in_who_is_due();
    unload_what_nobody_used();
    call_back_who_waits_too_long();
    plan_wake_up();
}

void Core::lose_worker(GpuId gpu) {
    ++tally_.workers_lost;
    effects_.emplace_back(WorkerLost{gpu, now_ - health_.worker(gpu).heard});
    let_go(gpu);
}

void Core::on(const WorkerGone& event) {
    if (ledger_.knows(event.gpu) && health_.is_open(event.gpu)) let_go(event.gpu);
}

void Core::let_go(GpuId gpu) {
    health_.close(gpu);
    set_present(gpu, false);
    clear_shelf(gpu);
    call_vacated(gpu);
    const auto holder = ledger_.holder(gpu);
    if (!holder) return;
    void_those_behind(gpu, VoidCause::worker_lost);
    Task& task = *tasks_.find(*holder);
    if (task.span.lead() == gpu) {
        void_attempt(*holder, task, VoidCause::worker_lost);
    } else if (task.state == TaskState::running) {
        stop(*holder, task, StopCause::gang_broken);
    }
}

void Core::plan_wake_up() {
    if (sabotaged(Bug::wake_up_lost)) return;
    wake_ = health_.next_silence(settings_.timing.heartbeat_timeout);
    if (!due_.empty()) wake_ = std::min(wake_, due_.begin()->first);
    wake_ = std::min({wake_, shelves_.next_expiry(), look_due_});
    if (wake_ != kNever) effects_.emplace_back(WakeAt{wake_});
}

}  // namespace sy::control
