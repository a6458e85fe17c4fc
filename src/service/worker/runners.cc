#include "service/worker/runners.h"

#include <algorithm>

namespace sy::worker {

namespace {

using Stage = Runner::Stage;

constexpr std::size_t kFdsEach = 3;

bool is_off_the_gpu(const Runner& runner) {
    return runner.stage() == Stage::asleep || runner.stage() == Stage::falling_asleep;
}

}  // namespace

Runner* Runners::find(NameId model) {
    for (const auto& runner : runners_)
        if (runner->model() == model && runner->stage() != Stage::leaving) return runner.get();
    return nullptr;
}

bool Runners::are_settled() const {
    return std::none_of(runners_.begin(), runners_.end(), [](const auto& runner) {
        return runner->stage() == Stage::leaving || runner->stage() == Stage::falling_asleep;
    });
}

std::vector<NameId> Runners::asleep() const {
    std::vector<NameId> models;
    for (const auto& runner : runners_)
        if (runner->stage() == Stage::asleep) models.push_back(runner->model());
    return models;
}

Runner* Runners::add(std::unique_ptr<Runner> runner) {
    pids_.insert(runner->pid());
    return runners_.emplace_back(std::move(runner)).get();
}

void Runners::keep_only(const std::vector<HeldModel>& models, Instant now) {
    for (const auto& runner : runners_) {
        const HeldModel held{runner->model(), runner->span().count};
        if (std::find(models.begin(), models.end(), held) != models.end() || is_off_the_gpu(*runner)) continue;
        if (runner->can_sleep() && runner->stage() == Stage::idle) {
            runner->fall_asleep(now);
        } else {
            runner->leave(now + kGrace);
        }
    }
}

void Runners::let_sleep(std::uint32_t most, Instant now) {
    std::vector<Runner*> asleep;
    for (const auto& runner : runners_)
        if (is_off_the_gpu(*runner)) asleep.push_back(runner.get());
    std::sort(asleep.begin(), asleep.end(), [](const Runner* a, const Runner* b) {
        return std::pair(a->began(), a->model()) < std::pair(b->began(), b->model());
    });
    for (std::size_t i = 0; i + most < asleep.size(); ++i) asleep[i]->leave(now + kGrace);
}

void Runners::end_all() {
    for (const auto& runner : runners_) {
        runner->leave(kStart);
        runner->kill();
    }
}

void Runners::add_fds(std::vector<pollfd>& fds) const {
    for (const auto& runner : runners_) {
        fds.push_back({runner->out_fd(), POLLIN, 0});
        fds.push_back({runner->err_fd(), POLLIN, 0});
        fds.push_back(runner->line());
    }
}

bool Runners::note_ready(std::span<const pollfd> fds) {
    bool any = false;
    std::size_t at = 0;
    for (const auto& runner : runners_) {
        runner->note_ready(fds[at].revents != 0, fds[at + 1].revents != 0);
        any = any || fds[at].revents != 0 || fds[at + 1].revents != 0 || fds[at + 2].revents != 0;
        at += kFdsEach;
    }
    return any;
}

Instant Runners::next_due() const {
    Instant next = kNever;
    for (const auto& runner : runners_) next = std::min(next, runner->next_due());
    return next;
}

std::vector<NameId> Runners::look(Instant now) {
    std::vector<NameId> lost;
    for (auto at = runners_.begin(); at != runners_.end();) {
        Runner& runner = **at;
        const bool leaving = runner.stage() == Stage::leaving;
        if (leaving) runner.kill_if_due(now);
        const pid_t pid = runner.pid();
        if (!runner.has_gone()) {
            ++at;
            continue;
        }
        if (!leaving) lost.push_back(runner.model());
        pids_.erase(pid);
        at = runners_.erase(at);
    }
    return lost;
}

}  // namespace sy::worker
