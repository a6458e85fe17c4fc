// LogPost: sends what tasks write on to the server, which keeps it. Files here are only a stopover: one goes when all
// of it is there and nothing more will come.
//
// Where a line breaks, the next one goes on from what the server has said that it has. What it does not answer, because
// its store is away, is sent again. Logs never hold up the words of workers: while the line is full, they wait.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "service/wire/host_messages.h"

namespace sy::outpost {

class LogPost {
public:
    /// What lies in the folder already was left by an earlier life.
    LogPost(std::string folder, std::function<void(const wire::LogBytes&)> send);

    void began(TaskId task, std::uint32_t attempt);
    /// Nothing more will be written. The end of it goes out now, unless there is a lot.
    void ended(TaskId task, std::uint32_t attempt);
    void kept(const wire::LogKept& kept);
    /// There is a new line: what was sent on the old one may be lost.
    void begin_again();
    /// Sends what has been written since, a part of each.
    void advance(Instant now);

    std::size_t count() const { return logs_.size(); }

private:
    struct Log {
        std::uint64_t kept = 0;
        std::uint64_t sent = 0;
        bool final = false;
        std::optional<Instant> waits_since;  ///< For an answer.
    };

    std::string path_of(const wire::LogName& name) const;
    /// Whether there was something to send.
    bool send_part(const wire::LogName& name, Log& log);

    std::string folder_;
    std::function<void(const wire::LogBytes&)> send_;
    std::map<wire::LogName, Log> logs_;
};

}  // namespace sy::outpost
