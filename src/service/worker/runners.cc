#include "service/worker/runners.h"

namespace sy::worker {

namespace {
constexpr std::size_t kFdsEach = 3;
}

Runner* Runners::find(NameId model) {
    for (Runner& runner : runners_)
        if (runner.model() == model && runner.stage() != Runner::Stage::leaving) return &runner;
    return nullptr;
}

bool Runners::are_settled() const {
    return std::none_of(runners_.begin(), runners_.end(),
                        [](const Runner& runner) { return runner.stage() == Runner::Stage::leaving; });
}

Result<Runner*> Runners::start(NameId model, const process::Command& command, Instant now) {
    auto runner = Runner::start(model, command, now);
    if (!runner) return tl::unexpected(runner.error());
    pids_.insert(runner->pid());
    runners_.push_back(std::move(*runner));
    return &runners_.back();
}

void Runners::keep_only(const std::vector<NameId>& models, Instant now) {
    for (Runner& runner : runners_)
        if (std::find(models.begin(), models.end(), runner.model()) == models.end()) runner.leave(now + kGrace);
}

void Runners::end_all() {
    for (Runner& runner : runners_) {
        runner.leave(kStart);
        runner.kill();
    }
}

void Runners::add_fds(std::vector<pollfd>& fds) const {
    for (const Runner& runner : runners_) {
        fds.push_back({runner.out_fd(), POLLIN, 0});
        fds.push_back({runner.err_fd(), POLLIN, 0});
        fds.push_back({runner.in_fd(), POLLOUT, 0});
    }
}

bool Runners::note_ready(std::span<const pollfd> fds) {
    bool any = false;
    std::size_t at = 0;
    for (Runner& runner : runners_) {
        runner.note_ready(fds[at].revents != 0, fds[at + 1].revents != 0);
        any = any || fds[at].revents != 0 || fds[at + 1].revents != 0 || fds[at + 2].revents != 0;
        at += kFdsEach;
    }
    return any;
}

Instant Runners::next_due() const {
    Instant next = kNever;
    for (const Runner& runner : runners_)
        if (runner.stage() == Runner::Stage::leaving) next = std::min(next, runner.kill_at());
    return next;
}

std::vector<NameId> Runners::look(Instant now) {
    std::vector<NameId> lost;
    for (auto runner = runners_.begin(); runner != runners_.end();) {
        const bool leaving = runner->stage() == Runner::Stage::leaving;
        if (leaving) runner->kill_if_due(now);
        const pid_t pid = runner->pid();
        if (!runner->has_gone()) {
            ++runner;
            continue;
        }
        if (!leaving) lost.push_back(runner->model());
        pids_.erase(pid);
        runner = runners_.erase(runner);
    }
    return lost;
}

}  // namespace sy::worker
