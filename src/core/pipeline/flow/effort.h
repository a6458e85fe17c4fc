// Effort: how much a search may still do, counted in steps so that every machine gives the same answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace sy::pipeline {

class Effort {
public:
    Effort(std::uint64_t steps, std::function<bool()> keep_going) : left_(steps), keep_going_(std::move(keep_going)) {}

    /// False when nothing is left.
    bool spend(std::uint64_t steps = 1) {
        spent_ += steps;
        left_ -= std::min(left_, steps);
        unasked_ += steps;
        if (unasked_ >= kBetweenQuestions && keep_going_) {
            unasked_ = 0;
            if (!keep_going_()) left_ = 0;
        }
        return left_ > 0;
    }
    std::uint64_t left() const { return left_; }
    std::uint64_t spent() const { return spent_; }

private:
    static constexpr std::uint64_t kBetweenQuestions = 10'000;

    std::uint64_t left_;
    std::uint64_t spent_ = 0;
    std::uint64_t unasked_ = 0;
    std::function<bool()> keep_going_;
};

}  // namespace sy::pipeline
