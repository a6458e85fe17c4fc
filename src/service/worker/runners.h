// Runners: the models that are loaded on a worker's GPU, each with its process.
#pragma once

#include <algorithm>
#include <list>
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
    /// One that is there and stays; nothing where there is none.
    Runner* find(NameId model);
    /// Whether those that were sent away have gone.
    bool are_settled() const;

    Result<Runner*> start(NameId model, const process::Command& command, Instant now);
    /// Sends away all others.
    void keep_only(const std::vector<NameId>& models, Instant now);
    void end_all();

    void add_fds(std::vector<pollfd>& fds) const;
    /// What came of those; whether anything did.
    bool note_ready(std::span<const pollfd> fds);
    /// When one of those that were sent away must be killed.
    Instant next_due() const;
    /// Kills who is due and forgets who has gone; the models of those nobody sent away.
    std::vector<NameId> look(Instant now);

    template <class Visit>
    void for_each(Visit visit) {
        for (Runner& runner : runners_) visit(runner);
    }

private:
    std::list<Runner> runners_;
    std::set<pid_t> pids_;  ///< Of their keepers.
};

}  // namespace sy::worker
