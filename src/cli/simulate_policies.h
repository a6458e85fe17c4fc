// What `simulate` was asked to try: its arguments, and the policies they name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/policy.h"

namespace sy::cli {

/// As they were typed.
struct SimulateArguments {
    std::string trace;
    std::string cluster;
    std::string orders = "fcfs";
    std::string fit = "strict";
    std::string place = "count";
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
    bool json = false;
};

/// All of them are made and checked before the first is tried: a long run should not end at a misspelt last word.
Result<std::vector<schedule::Policy>> read_policies(const SimulateArguments& a, std::span<const NodeSpec> nodes);

}  // namespace sy::cli
