// Names: numbers for the names that tasks bring (users, models, what they are called), since the brain works with
// numbers. A name keeps its number for good; number 0 is no name.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace sy::server {

class Names {
public:
    /// Beyond so many a new name is no name: nothing that clients say may fill the memory.
    static constexpr std::size_t kMost = 1'000'000;

    Names() = default;
    /// Those that the store has.
    explicit Names(std::vector<std::string> known) : texts_(std::move(known)) {
        for (std::size_t i = 0; i < texts_.size(); ++i) numbers_.emplace(texts_[i], static_cast<std::uint32_t>(i + 1));
    }

    NameId number_of(const std::string& text) {
        if (text.empty()) return NameId{};
        if (const auto found = numbers_.find(text); found != numbers_.end()) return NameId(found->second);
        if (texts_.size() >= kMost) return NameId{};
        texts_.push_back(text);
        fresh_.push_back(text);
        const auto number = static_cast<std::uint32_t>(texts_.size());
        numbers_.emplace(text, number);
        return NameId(number);
    }
    /// 0 where it has none.
    NameId find(const std::string& text) const {
        const auto found = numbers_.find(text);
        return found == numbers_.end() ? NameId{} : NameId(found->second);
    }
    std::string text_of(NameId name) const {
        return name == NameId{} || name.value() > texts_.size() ? "" : texts_[name.value() - 1];
    }

    /// New since the last call, in the order of their numbers.
    std::vector<std::string> take_fresh() { return std::exchange(fresh_, {}); }

private:
    std::vector<std::string> texts_;
    std::vector<std::string> fresh_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace sy::server
