// Interning: keeps each of many equal things once and gives it a number, its place in a table of others.
//
//     Interning<std::string> users(trace.users);
//     job.user = NameId(users.number_of("alice"));
//
// An open-addressed table of hashes and places: eight bytes a slot, at most half full. The things themselves stay in
// the vector it was made for, which must outlive it and is changed by nobody else meanwhile.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/task.h"

namespace sy::input {

inline std::uint32_t folded(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

inline std::uint32_t hash_of(std::string_view text) {
    return folded(std::hash<std::string_view>{}(text));
}

inline std::uint32_t hash_of(const Demand& demand) {
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {std::uint64_t{demand.gpus}, demand.memory.value(), std::uint64_t{demand.kind.value()},
          std::uint64_t{demand.cpus}, demand.host_memory.value(), demand.network.value()})
        hash = (hash ^ part) * 0x9e3779b97f4a7c15U ^ (hash >> 29);
    return folded(hash);
}

template <class Item>
class Interning {
public:
    /// What the table holds already counts as known. `expected`: how many there will be, as far as one can tell.
    explicit Interning(std::vector<Item>& items, std::size_t expected = 0) : items_(items) {
        if (expected > 0) slots_.resize(std::bit_ceil(2 * expected));
        for (std::uint32_t i = 0; i < items.size(); ++i) add(i);
    }

    /// The number of an equal item, which is added where there is none.
    template <class Key>
    std::uint32_t number_of(const Key& key) {
        if (last_ < items_.size() && items_[last_] == key) return last_;
        last_ = find_or(key, next());
        if (last_ == next()) {
            items_.emplace_back(key);
            add(last_);
        }
        return last_;
    }

    /// For a table that its owner fills: the last item's number, or that of an earlier one that equals it.
    std::uint32_t number_of_last() {
        const std::uint32_t last = next() - 1;
        const std::uint32_t found = find_or(items_.back(), last);
        if (found == last) add(last);
        return found;
    }

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t number_plus_1 = 0;  ///< 0: free.
    };

    std::uint32_t next() const { return static_cast<std::uint32_t>(items_.size()); }

    template <class Key>
    std::uint32_t find_or(const Key& key, std::uint32_t otherwise) const {
        if (slots_.empty()) return otherwise;
        const std::uint32_t hash = hash_of(key);
        for (std::size_t at = hash & mask(); slots_[at].number_plus_1 != 0; at = (at + 1) & mask())
            if (slots_[at].hash == hash && items_[slots_[at].number_plus_1 - 1] == key)
                return slots_[at].number_plus_1 - 1;
        return otherwise;
    }

    void add(std::uint32_t number) {
        if (2 * (known_ + 1) > slots_.size()) grow();
        put({hash_of(items_[number]), number + 1});
        ++known_;
    }

    void grow() {
        constexpr std::size_t kFewest = 16;
        const std::vector<Slot> old =
            std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFewest : 2 * slots_.size()));
        for (const Slot& slot : old)
            if (slot.number_plus_1 != 0) put(slot);
    }

    void put(const Slot& slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].number_plus_1 != 0) at = (at + 1) & mask();
        slots_[at] = slot;
    }

    std::size_t mask() const { return slots_.size() - 1; }

    std::vector<Item>& items_;
    std::vector<Slot> slots_;
    std::size_t known_ = 0;
    std::uint32_t last_ = ~std::uint32_t{0};
};

}  // namespace sy::input
