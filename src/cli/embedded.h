// Embedded: a service of our own for one batch, in a process that outlives us: it goes on when we are detached, is
// found again by its folder, and ends by itself when nothing is left to do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/remote.h"

namespace sy::cli {

class Embedded {
public:
    /// One that is there already in this folder is used; otherwise it is started with these settings.
    static Result<Embedded> open(const std::string& folder, const std::vector<std::string>& settings);

    const ServerArguments& server() const { return server_; }
    bool was_there() const { return pid_ < 0; }
    /// Ends it if we have started it, and waits until it is gone.
    void stop();

private:
    ServerArguments server_;
    int pid_ = -1;
};

/// Where something answers.
bool is_answering(const ServerArguments& server);

}  // namespace sy::cli
