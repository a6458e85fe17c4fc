#include "core/pipeline/members/suspects.h"

#include <algorithm>

namespace sy::pipeline {

void Suspects::report(NodeIndex node, RequestId by, Instant now) {
    Accused& accused = accused_[node];
    const auto place = std::lower_bound(accused.by.begin(), accused.by.end(), by);
    const bool is_new = place == accused.by.end() || *place != by;
    if (is_new && accused.by.size() < enough_) accused.by.insert(place, by);
    if (accused.until != kNever || (accused.has_answered && accused.by.size() < enough_)) return;
    accused.until = later(now, lasts_);
    by_end_.emplace(accused.until, node);
}

void Suspects::answer(NodeIndex node) {
    const auto found = accused_.find(node);
    if (found == accused_.end()) return;
    found->second.has_answered = found->second.has_answered || contains(node);
    release(node, found->second);
}

void Suspects::pass(NodeIndex node) {
    if (const auto found = accused_.find(node); found != accused_.end() && !contains(node)) found->second.by.clear();
}

void Suspects::forget(NodeIndex node) {
    const auto found = accused_.find(node);
    if (found == accused_.end()) return;
    release(node, found->second);
    accused_.erase(found);
}

void Suspects::expire(Instant now) {
    while (!by_end_.empty() && by_end_.begin()->first <= now) {
        const NodeIndex node = by_end_.begin()->second;
        release(node, accused_.at(node));
    }
}

void Suspects::release(NodeIndex node, Accused& accused) {
    by_end_.erase({accused.until, node});
    accused.until = kNever;
    accused.by.clear();
}

bool Suspects::contains(NodeIndex node) const {
    const auto found = accused_.find(node);
    return found != accused_.end() && found->second.until != kNever;
}

bool Suspects::doubted_by_enough(NodeIndex node) const {
    const auto found = accused_.find(node);
    return found != accused_.end() && found->second.by.size() >= enough_;
}

}  // namespace sy::pipeline
