#include "sim/journal.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/digest.h"

namespace sy::sim {

namespace {

constexpr std::size_t kFrame = 16;  // a digest in hexadecimal

std::string digest_text(std::string_view payload) {
    Digest digest;
    digest.add(payload);
    return digest.text();
}

std::optional<std::string> read_record(const std::string& record) {
    if (record.size() < kFrame) return std::nullopt;
    std::string payload = record.substr(kFrame);
    if (digest_text(payload) != record.substr(0, kFrame)) return std::nullopt;
    return payload;
}

}  // namespace

void Journal::append(std::string_view payload) {
    records_.push_back(digest_text(payload).append(payload));
}

void Journal::sync(std::size_t upto) {
    SY_CHECK(upto <= records_.size(), "sync up to {} of {}", upto, records_.size());
    synced_ = std::max(synced_, upto);
}

void Journal::keep_snapshot(std::string snapshot, std::size_t upto) {
    while (snapshots_.size() > 1 && snapshots_[1].covered <= synced_) snapshots_.erase(snapshots_.begin());
    snapshots_.push_back({std::move(snapshot), upto});
}

void Journal::crash(Random& random) {
    const std::size_t unsynced = records_.size() - synced_;
    const std::size_t surviving = synced_ + random.below(unsynced + 1);
    const bool torn = surviving < records_.size() && random.chance(0.5);
    if (torn) records_[surviving].resize(random.below(records_[surviving].size() + 1));
    records_.resize(surviving + (torn ? 1 : 0));
    std::erase_if(snapshots_, [this](const Snapshot& s) { return s.covered > synced_; });
}

Journal::Contents Journal::recover() {
    Contents contents;
    for (const std::string& record : records_) {
        auto payload = read_record(record);
        if (!payload) break;
        contents.payloads.push_back(*std::move(payload));
    }
    records_.resize(contents.payloads.size());
    SY_CHECK(records_.size() >= synced_, "{} records read, {} were synced", records_.size(), synced_);
    synced_ = records_.size();
    if (!snapshots_.empty()) {
        contents.snapshot = snapshots_.back().state;
        contents.covered = snapshots_.back().covered;
    }
    return contents;
}

}  // namespace sy::sim
