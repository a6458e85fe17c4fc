// Allocator: keeps a service in workers that are jobs of Slurm. Looks, lets the pool decide, carries it out and says
// what it does and why.
//
// It can be killed at any time: its jobs are found again by their names, their workers by theirs. Where Slurm or the
// service does not answer, nothing is decided and it asks less often.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/time.h"
#include "service/slurm/pool.h"
#include "service/slurm/slurm.h"

namespace sy::slurm {

/// Something to tell: a word for what it is, and about whom.
struct Happening {
    std::string what;  ///< "start", "drain", "resume", "cancel", "ended", "trouble", "well"
    std::string host;  ///< Empty where it is about none.
    std::string job;
    std::string why;

    friend bool operator==(const Happening&, const Happening&) = default;
};

class Allocator {
public:
    /// How it acts on the world.
    struct World {
        std::function<Result<std::string>(const std::vector<std::string>& words, const std::string& input)> run;
        std::function<Result<nlohmann::ordered_json>(const std::string& method, const std::string& target)> ask;
        std::function<void(const Happening&)> tell;
        std::function<Instant()> clock;
    };

    Allocator(JobWish wish, PoolLimits limits, Duration every, World world)
        : wish_(std::move(wish)), pool_(limits), every_(every), world_(std::move(world)) {}

    /// One look and what follows from it. How long to wait until the next.
    Duration look(Closing closing);
    /// Everything was to end, and nothing is left.
    bool is_closed() const { return closed_; }
    /// Jobs that were there at the last look that succeeded.
    const std::vector<std::string>& jobs() const { return jobs_; }

private:
    /// Of Slurm or of the service: said when it begins and when it is over.
    struct Trouble {
        bool lasts = false;
        Duration pause{};
    };

    Result<std::vector<JobSeen>> ask_slurm();
    Result<void> ask_service(Sight& sight);
    Duration back_off(Trouble& trouble, const std::string& whose, const Error& error);
    void is_well(Trouble& trouble, const std::string& whose);
    void carry_out(const Step& step, const Sight& sight);
    void start(const Step& step, const Sight& sight);
    void operate(const Step& step, const char* verb);
    void cancel(const Step& step);
    void tell(const char* what, std::uint32_t slot, const std::string& job, const std::string& why);

    JobWish wish_;
    Pool pool_;
    Duration every_;
    World world_;
    Trouble slurm_;
    Trouble service_;
    std::vector<std::string> jobs_;
    bool closed_ = false;
};

}  // namespace sy::slurm
