// Audit log: who changed what, when, and what came of it. One JSON line a request, only ever added to.
//
// Each line names the SHA-256 of the line before it, so that whoever changes, drops or swaps lines must write every
// later one anew, and whoever has noted the last hash elsewhere can tell. A chain cannot show that its tail was cut
// off: what is left of it is whole.
//
// A line is handed to the system when the request is answered; it is not waited for until it is on the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace sy::audit {

struct Record {
    std::int64_t time_ms = 0;  ///< Since 1970.
    std::string who;
    std::string what;   ///< "POST /api/v1/tasks"
    std::string about;  ///< "task 7"; may be empty.
    unsigned status = 0;
};

class Log {
public:
    /// Goes on after the last line; made where there is none. A half line, as a crash may leave it, is ended.
    static Result<Log> open(const std::string& path);
    Log(Log&& other) noexcept;
    Log& operator=(Log&& other) noexcept;
    ~Log();

    /// Kept until `flush`.
    void add(const Record& record);
    Result<void> flush();

private:
    Log(int file, std::string path, std::string previous);

    int file_;
    std::string path_;
    std::string previous_;  ///< Hash of the last line.
    std::string unwritten_;
};

struct Verdict {
    std::uint64_t intact = 0;  ///< Lines from the start.
    std::optional<std::uint64_t>
        broken_at;  ///< The first line, counted from 1, that does not follow from those before.
    std::string why;
    std::string last;  ///< Hash of the last intact line.
};

Result<Verdict> verify(const std::string& path);

}  // namespace sy::audit
