// Runners: the models that are loaded on a worker's GPU, or asleep beside it, each with its process.
#pragma once

#include <list>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include <poll.h>

#include "service/worker/runner.h"

namespace sy::worker {

class Runners {
public:
    /// Time to unload before it is made to.
    static constexpr Duration kGrace = 3s;

    bool empty() const { return runners_.empty(); }
    const std::set<pid_t>& pids() const { return pids_; }
    /// One that is there and stays, asleep or not; nothing where there is none.
    Runner* find(NameId model);
    /// Whether those that were sent away have gone, and those that were put to sleep are.
    bool are_settled() const;
    std::vector<NameId> asleep() const;

    Runner* add(std::unique_ptr<Runner> runner);
    /// Sends away all others, or puts them to sleep where they can.
    void keep_only(const std::vector<HeldModel>& models, Instant now);
    /// Of those that sleep, the longest asleep are sent away.
    void let_sleep(std::uint32_t most, Instant now);
    void end_all();

    void add_fds(std::vector<pollfd>& fds) const;
    /// What came of those; whether anything did.
    bool note_ready(std::span<const pollfd> fds);
    /// When one of them must be heard, or killed.
    Instant next_due() const;
    /// Kills who is due and forgets who has gone; the models of those nobody sent away.
    std::vector<NameId> look(Instant now);

    template <class Visit>
    void for_each(Visit visit) {
        for (const auto& runner : runners_) visit(*runner);
    }

private:
    std::list<std::unique_ptr<Runner>> runners_;
    std::set<pid_t> pids_;  ///< Of their keepers.
};

}  // namespace sy::worker
