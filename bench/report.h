// Report: what a bench measured, against what it must reach.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sy::bench {

enum class Aim { at_least, at_most };

struct Row {
    std::string what;
    double measured = 0;
    std::string unit;
    std::optional<double> target;
    Aim aim = Aim::at_least;

    bool reached() const { return !target || (aim == Aim::at_least ? measured >= *target : measured <= *target); }
};

void print_head();
void print_rows(const std::vector<Row>& rows);
/// Nothing is written where the path is empty. False where it cannot be.
bool write_json(const std::vector<Row>& rows, const std::string& path);

/// Bytes the program has asked the allocator for and not given back.
std::uint64_t allocated_bytes();

/// Processor time of this thread: on a busy machine wall time would measure the neighbours.
class Stopwatch {
public:
    Stopwatch();
    double seconds() const;

private:
    std::chrono::nanoseconds start_;
};

}  // namespace sy::bench
