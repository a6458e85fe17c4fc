// PlaceIndex: every place for every model, so that the best one for a job is found without asking all of them.
//
// A place is a run of consecutive GPUs of one node. Its score for a job is `end` × completion + `busy` × mean busy time
// of its GPUs; the least wins, and ties go to the lowest GPU. The answers are those of a scan over Problem::spans.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/fleet.h"
#include "core/plan/problem.h"
#include "core/plan/tournament.h"

namespace sy::plan {

struct ScoreWeights {
    std::int64_t end = 10;
    std::int64_t busy = 1;

    friend bool operator==(const ScoreWeights&, const ScoreWeights&) = default;
};

class PlaceIndex {
public:
    /// Keeps references to both.
    PlaceIndex(const Problem& problem, const Fleet& fleet, const ScoreWeights& weights);

    /// The best place for a job of this model whose needs are done at `ready` and which lasts so long on each kind;
    /// negative where that cannot run it. Nothing where no place can.
    std::optional<GpuSpan> best(ModelId model, Instant ready, const std::vector<Duration>& lasts_on_kind);
    /// The fleet took a job there.
    void changed(const GpuSpan& span);
    void weigh(const ScoreWeights& weights);

private:
    /// Places that differ in nothing but what they hold and how busy they are.
    struct Alike {
        std::vector<KindId> kinds;
        std::size_t room = 0;  ///< So many sizes of models fit, smallest first.
        Tournament places;
        std::vector<Tournament> holders;  ///< By model: those of the places that hold it as their group.
    };
    struct Place {
        GpuSpan span;
        std::uint32_t alike = 0;
        std::uint32_t slot = 0;
        std::optional<ModelId> holds;  ///< As entered in `holders`.
        std::uint32_t holder_slot = 0;
        bool stale = false;
    };
    /// All places of one width, by lowest GPU.
    struct Width {
        GpuCount gpus = 1;
        std::vector<Place> places;
        std::vector<std::uint32_t> by_first;  ///< The first place that begins at this GPU or behind it.
        std::vector<Alike> alikes;
        std::vector<std::uint32_t> stale;
    };
    struct Job {
        ModelId model;
        Instant ready;
        Duration lasts;
    };

    void add_width(GpuCount gpus);
    void add_place(Width& width, const GpuSpan& span);
    void refresh(Width& width);
    void enter(Width& width, std::uint32_t number);
    /// What switching costs there beyond the least for whichever model comes.
    Duration surcharge(const GpuSpan& span) const;
    std::int64_t score(const GpuSpan& span, const Job& job) const;
    Instant free_at(const GpuSpan& span) const;
    std::int64_t mean_busy(const GpuSpan& span) const;
    std::optional<ModelId> held_by(const GpuSpan& span) const;

    const Problem& problem_;
    const Fleet& fleet_;
    ScoreWeights weights_;
    std::vector<Bytes> sizes_;  ///< Of models' parts, each once, smallest first.
    std::vector<Width> widths_;
    std::vector<std::uint32_t> width_of_;           ///< By model.
    std::vector<std::size_t> room_for_;             ///< By model: the least `room` of a place it fits.
    std::vector<std::vector<Duration>> least_;      ///< By kind and model: the cheapest load.
    std::vector<std::vector<Duration>> surcharge_;  ///< By kind and what is held (0: nothing): least beyond that.
};

}  // namespace sy::plan
