// The columns of a trace file: their names, and what the header of one file makes of them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input/csv.h"

namespace sy::input {

enum class Column : unsigned char {
    job_id,
    submit_s,
    duration_s,
    gpus,  ///< The last of the required ones.
    priority,
    user,
    model,
    deadline_s,
    estimate_s,
    cpus,
    memory_gb,
    kind,
    gpu_memory_gb,
    network_gb_s,
    name,
    work,
    ignored,
};

/// By Column, without the last.
inline constexpr std::array<std::string_view, 16> kColumnNames{
    "job_id",     "submit_s", "duration_s", "gpus", "priority",      "user",         "model", "deadline_s",
    "estimate_s", "cpus",     "memory_gb",  "kind", "gpu_memory_gb", "network_gb_s", "name",  "work"};
inline constexpr std::size_t kRequiredColumns = 4;

constexpr std::string_view name_of(Column column) {
    return kColumnNames[static_cast<std::size_t>(column)];
}

struct Header {
    std::vector<Column> columns;  ///< By place in a row.
    std::vector<std::string> warnings;
};

/// Reads the first row. Refuses one that lacks a required column, names one twice or is no header at all.
Header read_header(Csv& csv, const std::string& file_name);

}  // namespace sy::input
