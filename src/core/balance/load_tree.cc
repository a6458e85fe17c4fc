#include "core/balance/load_tree.h"

#include <algorithm>
#include <bit>

namespace sy::balance {

void LoadTree::reset(Slot count) {
    const std::size_t leaves = std::bit_ceil(std::max<std::size_t>(count, 2));
    standings_.assign(leaves, Standing{});
    winners_.resize(2 * leaves);
    for (std::size_t i = 0; i < leaves; ++i) winners_[leaves + i] = static_cast<Slot>(i);
}

void LoadTree::build() {
    for (std::size_t node = standings_.size() - 1; node > 0; --node) play(node);
}

void LoadTree::set(Slot slot, const Standing& standing) {
    standings_[slot] = standing;
    for (std::size_t node = (standings_.size() + slot) / 2; node > 0; node /= 2) play(node);
}

void LoadTree::play(std::size_t node) {
    const Slot left = winners_[2 * node];
    const Slot right = winners_[2 * node + 1];
    winners_[node] = standings_[right].beats(standings_[left]) ? right : left;
}

}  // namespace sy::balance
