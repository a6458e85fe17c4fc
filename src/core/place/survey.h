// Survey: what stands in the way of a task, on each GPU. The answer depends on the ledger and the demand alone.
#pragma once

#include <cstdint>

#include "core/cluster/ledger.h"
#include "core/model/reason.h"
#include "core/model/task.h"

namespace sy::place {

/// Why no cluster state could ever let this demand start; Cause::none where one could.
Reason never_fits(const cluster::Ledger& ledger, const Demand& demand);

/// How each GPU of the cluster stands to a demand. Every GPU is counted exactly once, those that are gone not at all.
struct Survey {
    std::uint32_t other_kind = 0;  ///< Not of the kind that is asked for.
    std::uint32_t no_worker = 0;   ///< Its worker is lost or has not come yet.
    std::uint32_t faulty = 0;
    std::uint32_t reserved = 0;
    std::uint32_t draining = 0;
    std::uint32_t kept = 0;        ///< It is being cleared for a CRITICAL task.
    std::uint32_t busy = 0;        ///< Another task holds it.
    std::uint32_t too_small = 0;   ///< Free, but with too little memory.
    std::uint32_t crowded = 0;     ///< Large enough, were it not for the memory that strangers use.
    std::uint32_t gang_short = 0;  ///< Free and large enough, but with too few such neighbours.
    std::uint32_t elsewhere = 0;   ///< The task is tied to others.
    std::uint32_t suitable = 0;    ///< The task could start here now.

    std::uint32_t total() const {
        return other_kind + no_worker + faulty + reserved + draining + kept + busy + too_small + crowded + gang_short +
               elsewhere + suitable;
    }
    friend bool operator==(const Survey&, const Survey&) = default;
};

Survey survey(const cluster::Ledger& ledger, const Demand& demand);

}  // namespace sy::place
