// Fair share between users: start-time fair queueing (Goyal, Vin, Cheng 1996).
//
// Each task is charged to its user with GPUs × expected time. Its rank is where its user's account stands when it
// comes, but not before what is being served now, so nobody saves up credit by staying away. Users who keep asking are
// served alike within one task each, however many tasks they hand in. Accounts are in GPU-microseconds, per user seen.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "core/queue/order.h"

namespace sy::queue {

class Fair final : public Order {
public:
    Rank rank(const Candidate& task) override {
        if (task.user.value() >= accounts_.size()) accounts_.resize(task.user.value() + 1, 0);
        Rank& account = accounts_[task.user.value()];
        const Rank start = std::max(served_, account);
        account = charged(start, task);
        return start;
    }
    bool remembers() const override { return true; }
    void started(const Candidate&, Rank rank) override { served_ = std::max(served_, rank); }
    void save(ByteWriter& writer) const override {
        writer.put(served_);
        writer.put(accounts_);
    }
    bool load(ByteReader& reader) override {
        reader.get(served_);
        reader.get(accounts_);
        return reader.ok() && served_ >= 0 &&
               std::all_of(accounts_.begin(), accounts_.end(), [](Rank r) { return r >= 0; });
    }

private:
    /// Saturates: an account that is full stays full.
    static Rank charged(Rank account, const Candidate& task) {
        constexpr Rank kFull = std::numeric_limits<Rank>::max();
        const Rank micros = task.expected.count() / 1000;
        if (micros > (kFull - account) / std::max<Rank>(task.gpus, 1)) return kFull;
        return account + micros * task.gpus;
    }

    std::vector<Rank> accounts_;
    Rank served_ = 0;
};

}  // namespace sy::queue
