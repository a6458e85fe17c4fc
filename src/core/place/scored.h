// Scored (G3): the free GPU with the most points. Up to 100 for the model (loaded; 50 where there is room for another
// one), and up to 100 for balance: free memory 40, idle units 30, a cool card 20, long rest 10. Weights say how much
// either counts. Equal points go to the lowest number.
//
// A gang goes to the first neighbours that fit: its model is loaded anew wherever it runs. The choice reads every free
// GPU; in a busy cluster these are few, and an idle one is in no hurry. All points are whole numbers, so that every
// machine decides alike.
#pragma once

#include <cstdint>
#include <vector>

#include "core/place/first_fit.h"

namespace sy::place {

struct ScoreWeights {
    std::uint32_t affinity = 1;
    std::uint32_t balance = 1;
};

class Scored final : public Placement {
public:
    explicit Scored(ScoreWeights weights = {}) : weights_(weights) {}

    std::optional<Seat> find(const Floor& floor, const Demand& demand) const override {
        return find_for(floor, demand, {});
    }
    std::optional<Seat> find_for(const Floor& floor, const Demand& demand, const Wish& wish) const override;
    void set_view(NodeId node, GpuCount at, GpuView view) override;

    /// In thousandths of a point.
    std::int64_t score(NodeId node, GpuCount at, const Wish& wish) const;

private:
    ScoreWeights weights_;
    FirstFit first_fit_;
    std::vector<std::vector<GpuView>> views_;  ///< By node and GPU.
};

}  // namespace sy::place
