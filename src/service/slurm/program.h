// Program: another program run to its end, for what it prints.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace sy::slurm {

/// What it wrote to its standard output. An error with what it wrote to the other where it is not there, ends badly, or
/// has not ended in time: then it is killed. It has our environment. What it prints beyond 16 MB is dropped.
Result<std::string> run_program(const std::vector<std::string>& words, const std::string& input, Duration patience);

}  // namespace sy::slurm
