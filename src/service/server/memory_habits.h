// Memory habits: how much more, or less, memory the tasks of a model need than the model file says (G5, G10).
//
// Upward at once: a task that ran out of memory makes the next one ask for as much more. Downward slowly: only when so
// many runs in a row have said what they used, the largest of them with a margin counts. Apart for each type of task,
// since types differ in what the file gets wrong. It forgets everything when the service ends.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "base/units.h"

namespace sy::server {

class MemoryHabits {
public:
    static constexpr std::size_t kRuns = 20;
    static constexpr double kMargin = 1.2;
    static constexpr double kMost = 100;

    /// What to multiply the model file's estimate by; 1 where nothing was learnt.
    double factor(const std::string& model, const std::string& type) const;
    /// By type, of those where something was learnt.
    std::map<std::string, double> factors(const std::string& model) const;

    /// A task that asked for `asked` ran out of memory and asks for `raised` now. What was seen before does not count
    /// any more.
    void ran_out(const std::string& model, const std::string& type, Bytes asked, Bytes raised);
    /// A task ended well that the file gives `estimate`, and used `peak` at most.
    void used(const std::string& model, const std::string& type, Bytes estimate, Bytes peak);

private:
    struct Habit {
        double factor = 1;
        std::deque<double> shares;  ///< Of the estimate, that the latest runs used.
    };

    std::map<std::pair<std::string, std::string>, Habit> habits_;
};

}  // namespace sy::server
