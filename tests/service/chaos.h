// Chaos: servers, workers and what they run are killed at random while clients hand in tasks. Whatever was answered
// must end, exactly once in the books; no two attempts of a task and no two tasks of a GPU may ever live at the same
// time, and nothing may be left over (R1 to R4); what may run once at most never begins a second time (R6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/service.h"

namespace sy::service_test {

struct ChaosWish {
    int kills = 30;
    std::uint64_t seed = 1;
};

struct ChaosReport {
    int servers = 0;  ///< Killed.
    int workers = 0;
    int tasks = 0;               ///< A process that a worker had started.
    std::uint64_t answered = 0;  ///< Tasks.
    std::uint64_t given_up = 0;  ///< Of those that may run once at most.
    std::string complaints;      ///< A line for each broken promise; empty where all were kept.
};

ChaosReport run_chaos(Service& service, const ChaosWish& wish);

}  // namespace sy::service_test
