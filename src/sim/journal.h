// Journal: a model of the server's disk. What was synced stays; of the rest a crash keeps some beginning, perhaps torn.
//
// Records are framed with a digest as on a real disk, so reading back finds the torn one and cuts there (R12).
// Simulated: the bytes live in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace sy::sim {

class Journal {
public:
    /// Number of records, written and synced. A record's number is the size after it was appended.
    std::size_t size() const { return records_.size(); }
    std::size_t synced() const { return synced_; }

    void append(std::string_view payload);
    /// All up to this number are on disk from now on.
    void sync(std::size_t upto);

    /// A state that covers the first `upto` records. It is used after a crash only if those were synced.
    void keep_snapshot(std::string snapshot, std::size_t upto);

    /// Power is gone.
    void crash(Random& random);

    struct Contents {
        std::string snapshot;  ///< Empty: none.
        std::size_t covered = 0;
        std::vector<std::string> payloads;  ///< All of them, the covered ones too.
    };
    /// Reads back what survived, and drops a torn end for good.
    Contents recover();

private:
    struct Snapshot {
        std::string state;
        std::size_t covered = 0;
    };

    std::vector<std::string> records_;
    std::size_t synced_ = 0;
    std::vector<Snapshot> snapshots_;  ///< Oldest first; the last may cover what is not synced yet.
};

}  // namespace sy::sim
