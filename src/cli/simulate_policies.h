// What `simulate` was asked to try: its arguments, and the policies they name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/trials.h"

namespace sy::cli {

/// As they were typed.
struct SimulateArguments {
    std::string trace;
    std::string cluster;
    std::string orders = "fcfs";
    std::string fits = "strict";
    std::string places = "count";
    bool neighbours = false;
    bool preempt = false;
    std::string limits = "3250,7200";
    std::string service = "seconds";
    std::string slice = "3600";
    std::string boost;
    std::string aging = "0";
    std::string restart_cost = "0";
    std::string predictor = "rolling";
    std::string faults;
    std::string jobs_out;
    std::string decisions;
    std::string html;
    std::string svg;
    bool json = false;
};

/// Every order under every fit and placement that was named.
Result<std::vector<sim::Trial>> read_trials(const SimulateArguments& a, std::span<const NodeSpec> nodes);

}  // namespace sy::cli
