// Verdict: what readings mean for the brain. A GPU that shows an error is faulty, and stays so until it has been
// without one for a while (R17); memory that none of our processes uses is foreign, and counts in steps, so that a
// stranger's every allocation is no event (R19).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/model/event.h"
#include "service/device/reading.h"

namespace sy::device {

struct Finding {
    ObserveGpu event;
    std::string why;  ///< It has become faulty: the reason. Empty otherwise.
};

class Verdicts {
public:
    explicit Verdicts(Duration probation = 10s) : probation_(probation) {}

    /// What is new since the last reading of this GPU; `ours`: the memory that our own processes use there.
    std::optional<Finding> judge(GpuId gpu, const Reading& reading, Bytes ours, Instant now);
    /// The next reading under that number is of another GPU.
    void forget(GpuId gpu) {
        if (gpu.value() < known_.size()) known_[gpu.value()] = {};
    }

private:
    static constexpr std::uint64_t kStep = 64U << 20U;

    struct Known {
        ObserveGpu said;
        Instant last_error = kStart;
    };

    Duration probation_;
    std::vector<Known> known_;
};

}  // namespace sy::device
