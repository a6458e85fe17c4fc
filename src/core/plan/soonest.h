// Soonest: jobs go behind all else, each to the best place, without a look at every GPU.
//
// GPUs of the same kind and memory that hold the same model differ only in when they are free, so for a job on one GPU
// the first of each such shelf is enough: the answer is that of a full scan. For a gang it is a good guess: the places
// that contain the first of some shelf; where there are few places, all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/plan/fleet.h"
#include "core/plan/problem.h"

namespace sy::plan {

/// What a place costs beyond its time: a job goes where its end and this come to least.
struct Taste {
    double dread = 0;           ///< Of switches: so many times what they take.
    std::vector<double> price;  ///< Of a kind's time, by kind; may be empty. Keeps jobs off GPUs that others need more.
};

/// Loads begin as soon as the GPUs are free.
class Appender {
public:
    explicit Appender(const Problem& problem);

    /// To the place that costs least. Ties go to a place without a switch, then to the one that is free first, then to
    /// the lowest GPU.
    PlannedJob append(JobIndex job, Instant ready, const Taste& taste);
    /// The same by looking at every place; changes nothing.
    PlannedJob best_of_all(JobIndex job, Instant ready, const Taste& taste) const;

private:
    struct Entry {
        Instant free;
        GpuId gpu;

        friend bool operator>(const Entry& a, const Entry& b) {
            return a.free != b.free ? a.free > b.free : a.gpu > b.gpu;
        }
    };
    using Shelf = std::vector<Entry>;  ///< A heap, first free on top; entries that are out of date go when met.
    struct Choice;

    std::optional<GpuId> first_of(std::size_t shelf);
    void look_around(GpuId gpu, Choice& choice) const;
    void put_on_shelf(GpuId gpu, std::optional<ModelId> model);

    const Problem& problem_;
    Fleet fleet_;
    std::size_t models_;
    std::vector<std::uint32_t> class_of_;  ///< By GPU: its kind and memory, as a number.
    std::vector<std::size_t> shelf_of_;    ///< By GPU.
    std::vector<Shelf> shelves_;           ///< By class, then held model; none where that would be more than GPUs.
};

}  // namespace sy::plan
