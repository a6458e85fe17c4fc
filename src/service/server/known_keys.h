// KnownKeys: submissions whose key may not be found in the store yet, since their group is under way (R5).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/ids.h"

namespace sy::server {

class KnownKeys {
public:
    struct Known {
        TaskId task;
        std::uint64_t group = 0;
    };

    void add(const std::string& word, TaskId task, std::uint64_t group) {
        if (known_.emplace(word, Known{task, group}).second) by_group_.emplace_back(group, word);
    }
    std::optional<Known> find(const std::string& word) const {
        const auto found = known_.find(word);
        return found == known_.end() ? std::nullopt : std::optional(found->second);
    }
    /// So many groups are on disk: the store knows their keys.
    void forget_up_to(std::uint64_t group) {
        for (; !by_group_.empty() && by_group_.front().first <= group; by_group_.pop_front())
            known_.erase(by_group_.front().second);
    }

private:
    std::unordered_map<std::string, Known> known_;
    std::deque<std::pair<std::uint64_t, std::string>> by_group_;
};

}  // namespace sy::server
