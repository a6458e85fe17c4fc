// AlertCommand: runs a program for each alert, with the alert on its stdin, and ends it when it takes too long.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/server/alerts.h"

namespace sy::server {

class AlertCommand {
public:
    /// At most so many at a time; what comes beyond is only in the log.
    static constexpr std::size_t kMostAtATime = 4;

    AlertCommand(loop::Loop& loop, std::vector<std::string> words, Duration patience, Alerts::Say say,
                 Alerts::Processes processes);
    /// What runs is left to run.
    ~AlertCommand();
    AlertCommand(const AlertCommand&) = delete;
    AlertCommand& operator=(const AlertCommand&) = delete;

    void tell(const Alert& alert);

private:
    struct Run {
        pid_t pid = -1;
        loop::Loop::Timer timer;
    };

    pid_t start(int input);
    void ended(int pidfd);

    loop::Loop& loop_;
    std::vector<std::string> words_;
    Duration patience_;
    Alerts::Say say_;
    Alerts::Processes processes_;
    std::map<int, Run> running_;  ///< By pidfd.
};

}  // namespace sy::server
