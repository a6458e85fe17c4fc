// RecentTable: a map that holds at most so many keys and forgets the one touched longest ago.
//
// Chained hashing over one array of entries, with a list through them in the order of touching. All room is taken at
// once and nothing moves, so a value stays where it is until its key is forgotten. Finding is no touching: it changes
// nothing. Nothing here depends on the order of hashes, so neither does any answer.
//
// Cost: O(1) for every call, as long as Key::hash spreads keys well.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/check.h"

namespace sy::estimate {

/// Key has == and hash(); Value has a default.
template <class Key, class Value>
class RecentTable {
public:
    explicit RecentTable(std::uint32_t most) : most_(most), buckets_(std::bit_ceil(2 * std::size_t{most}), kNone) {
        SY_CHECK(most >= 1 && most < kNone, "a table of {} keys", most);
        entries_.reserve(most);
    }

    std::size_t size() const { return entries_.size(); }

    /// Nothing where the key is not there.
    const Value* find(const Key& key) const {
        const std::uint32_t at = index_of(key);
        return at == kNone ? nullptr : &entries_[at].value;
    }

    /// The key's value, new where it was not there. It is now the last to be forgotten.
    Value& touch(const Key& key) {
        std::uint32_t at = index_of(key);
        if (at == kNone)
            at = insert(key);
        else
            unlink(at);
        link_newest(at);
        return entries_[at].value;
    }

    /// visit(key, value), from the one touched longest ago on: touching them again in this order makes the same table.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::uint32_t at = oldest_; at != kNone; at = entries_[at].newer)
            visit(entries_[at].key, entries_[at].value);
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    struct Entry {
        Key key;
        std::uint32_t next = kNone;  ///< In its bucket.
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone;
        Value value;
    };

    std::uint32_t& bucket_of(const Key& key) { return buckets_[key.hash() & (buckets_.size() - 1)]; }

    std::uint32_t index_of(const Key& key) const {
        std::uint32_t at = buckets_[key.hash() & (buckets_.size() - 1)];
        while (at != kNone && !(entries_[at].key == key)) at = entries_[at].next;
        return at;
    }

    std::uint32_t insert(const Key& key) {
        const std::uint32_t at = entries_.size() < most_ ? append() : forget_oldest();
        std::uint32_t& bucket = bucket_of(key);
        entries_[at] = {.key = key, .next = bucket, .value = {}};
        bucket = at;
        return at;
    }

    std::uint32_t append() {
        entries_.emplace_back();
        return static_cast<std::uint32_t>(entries_.size() - 1);
    }

    std::uint32_t forget_oldest() {
        const std::uint32_t at = oldest_;
        unlink(at);
        std::uint32_t* link = &bucket_of(entries_[at].key);
        while (*link != at) link = &entries_[*link].next;
        *link = entries_[at].next;
        return at;
    }

    void unlink(std::uint32_t at) {
        const Entry& entry = entries_[at];
        (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
        (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
    }

    void link_newest(std::uint32_t at) {
        entries_[at].older = newest_;
        entries_[at].newer = kNone;
        (newest_ == kNone ? oldest_ : entries_[newest_].newer) = at;
        newest_ = at;
    }

    std::uint32_t most_;
    std::vector<std::uint32_t> buckets_;
    std::vector<Entry> entries_;
    std::uint32_t oldest_ = kNone;
    std::uint32_t newest_ = kNone;
};

}  // namespace sy::estimate
