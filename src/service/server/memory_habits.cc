#include "service/server/memory_habits.h"

#include <algorithm>

namespace sy::server {

namespace {

double share_of(Bytes part, Bytes whole) {
    return static_cast<double>(part.value()) / static_cast<double>(whole.value());
}

}  // namespace

double MemoryHabits::factor(const std::string& model, const std::string& type) const {
    const auto found = habits_.find({model, type});
    return found == habits_.end() ? 1 : found->second.factor;
}

std::map<std::string, double> MemoryHabits::factors(const std::string& model) const {
    std::map<std::string, double> factors;
    for (auto at = habits_.lower_bound({model, ""}); at != habits_.end() && at->first.first == model; ++at)
        if (at->second.factor != 1) factors.emplace(at->first.second, at->second.factor);
    return factors;
}

void MemoryHabits::ran_out(const std::string& model, const std::string& type, Bytes asked, Bytes raised) {
    if (asked == Bytes{}) return;
    Habit& habit = habits_[{model, type}];
    habit.factor = std::min(habit.factor * share_of(raised, asked), kMost);
    habit.shares.clear();
}

void MemoryHabits::used(const std::string& model, const std::string& type, Bytes estimate, Bytes peak) {
    if (estimate == Bytes{} || peak == Bytes{}) return;
    Habit& habit = habits_[{model, type}];
    habit.shares.push_back(share_of(peak, estimate));
    if (habit.shares.size() > kRuns) habit.shares.pop_front();
    if (habit.shares.size() < kRuns) return;
    habit.factor = std::min(*std::max_element(habit.shares.begin(), habit.shares.end()) * kMargin, kMost);
}

}  // namespace sy::server
