// Decision log: what a scheduler decided, a line each: when, what, about whom, and where. The simulator writes one, and
// what the live brain decides under virtual time can be written down the same way and compared.
#pragma once

#include <string>
#include <string_view>

#include "core/place/floor.h"

namespace sy::output {

class DecisionLog {
public:
    /// `neighbours`: seats say which GPUs of a node they are.
    explicit DecisionLog(bool neighbours) : neighbours_(neighbours) {}

    void start(Instant at, std::string_view job, const place::Seat& seat);
    void put_aside(Instant at, std::string_view job);

    /// CSV with a header. Several nodes of one job are separated by spaces, and so is what it has on them.
    const std::string& text() const { return text_; }

private:
    bool neighbours_;
    std::string text_ = "time_s,decision,job_id,nodes,gpus,first_gpus\n";
};

}  // namespace sy::output
