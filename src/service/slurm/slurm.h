// Slurm: the words for its programs, and the reading of theirs. No process is started here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "service/slurm/pool.h"

namespace sy::slurm {

/// What every job of a pool has in common.
struct JobWish {
    std::string pool = "slurm";  ///< Its workers are called after it: slurm-0, slurm-1 …
    std::uint32_t gpus = 1;
    std::string time;  ///< As Slurm writes it.
    Duration drain_ahead = 5min;
    std::string partition;  ///< Empty: Slurm's own choice.
    std::string account;
    std::vector<std::string> more;    ///< Further arguments of sbatch.
    std::string logs;                 ///< A folder for what the workers say.
    std::vector<std::string> worker;  ///< The program and all its arguments but its name.
};

/// "slurm-3", the name of a worker, and "switchyard-slurm-3", that of its job.
std::string host_name(const std::string& pool, std::uint32_t slot);
std::string job_name(const std::string& pool, std::uint32_t slot);
/// Back again; nothing where it is not one of this pool's.
std::optional<std::uint32_t> slot_of_host(const std::string& pool, std::string_view name);
std::optional<std::uint32_t> slot_of_job(const std::string& pool, std::string_view name);

/// What is handed to sbatch on its standard input.
std::string script_of(const JobWish& wish, std::uint32_t slot);
std::vector<std::string> sbatch_words();
std::vector<std::string> squeue_words();
std::vector<std::string> scancel_words(const std::string& job);

/// The number that `sbatch --parsable` printed.
Result<std::string> job_in(std::string_view printed);
/// What `squeue` printed, as far as it is of this pool.
Result<std::vector<JobSeen>> jobs_in(std::string_view printed, const std::string& pool);
/// "90" (minutes), "1:30" (minutes and seconds), "2:00:00", "1-0", "1-12:00", "1-12:00:00". Nothing where it is none.
std::optional<Duration> time_in(std::string_view text);

}  // namespace sy::slurm
