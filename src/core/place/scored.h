// Scored (G3): the free GPU with the most points. Up to 100 for the model (loaded; 50 where there is room for another
// one), and up to 100 for balance: free memory 40, idle units 30, a cool card 20, long rest 10. Weights say how much
// either counts. Equal points go to the lowest number.
//
// A gang goes to the first neighbours that hold its model as one and are free; where there are none, to the first
// neighbours that fit. All points are whole numbers, so that every machine decides alike.
//
// Where few GPUs are free each of them is looked at; where many are, an index finds the best. It is brought up to date
// only then, so that a busy cluster, in which a GPU is free for a moment, does not pay for it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/place/first_fit.h"
#include "core/place/score_index.h"

namespace sy::place {

struct ScoreWeights {
    std::uint32_t affinity = 1;
    std::uint32_t balance = 1;
};

class Scored final : public Placement {
public:
    static constexpr std::uint64_t kFew = 32;

    /// `few`: so many free GPUs are looked at one by one.
    explicit Scored(ScoreWeights weights = {}, std::uint64_t few = kFew) : weights_(weights), few_(few) {}

    /// On any floor: each GPU is looked at.
    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override;
    std::optional<Seat> find_any(const Floor& floor, const Demand& demand) const override;
    std::optional<Seat> find_for(const Floor& floor, const Demand& demand, const Wish& wish) const override;
    void set_view(NodeId node, GpuCount at, GpuView view) override;
    void set_free(NodeId node, GpuCount at, bool free) override;

    /// In thousandths of a point.
    std::int64_t score(NodeId node, GpuCount at, const Wish& wish) const;

    /// What `find_for` must answer: every free GPU is looked at.
    std::optional<Seat> look_at_all(const Floor& floor, const Demand& demand, const Wish& wish) const;

private:
    struct Card {
        GpuView view;
        bool free = false;
        bool stale = false;  ///< The index does not know it as it is.
    };

    std::optional<Seat> find_gang(const Floor& floor, const Demand& demand, NameId model) const;
    Card& card(const Spot& spot);
    void change(const Spot& spot);
    bool bring_up_to_date(const Floor& floor, Instant now) const;

    ScoreWeights weights_;
    std::uint64_t few_;
    FirstFit first_fit_;
    mutable std::vector<std::vector<Card>> cards_;  ///< By node and GPU.
    mutable std::vector<Spot> stale_;
    std::map<NameId, std::set<Spot>> gangs_;  ///< Where models lie on several neighbours as one: the first of these.
    mutable ScoreIndex index_;
};

}  // namespace sy::place
