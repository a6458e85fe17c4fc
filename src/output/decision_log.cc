#include "output/decision_log.h"

#include <fmt/format.h>

#include "base/time.h"
#include "output/csv_field.h"

namespace sy::output {

void DecisionLog::start(Instant at, std::string_view job, const place::Seat& seat) {
    std::string nodes;
    std::string gpus;
    std::string first;
    seat.for_each([&](const place::Share& share) {
        const char* gap = nodes.empty() ? "" : " ";
        nodes += fmt::format("{}{}", gap, share.node.value());
        gpus += fmt::format("{}{}", gap, share.gpus);
        if (neighbours_) first += fmt::format("{}{}", gap, share.at);
    });
    text_ += fmt::format("{},start,{},{},{},{}\n", seconds_text(at - kStart), csv_field(job), nodes, gpus, first);
}

void DecisionLog::put_aside(Instant at, std::string_view job) {
    text_ += fmt::format("{},put-aside,{},,,\n", seconds_text(at - kStart), csv_field(job));
}

}  // namespace sy::output
