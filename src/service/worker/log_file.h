// LogFile: what a task writes, up to a limit. What comes after is counted and not kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sy::worker {

class LogFile {
public:
    /// A new file; where it cannot be made, everything is counted and nothing kept.
    LogFile(const std::string& path, std::uint64_t most);
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;
    ~LogFile();

    void add(std::string_view bytes);
    /// All that came, kept or not.
    /// The end of what came.
    const std::string& tail() const { return tail_; }
    std::uint64_t seen() const { return seen_; }

private:
    int file_;
    std::uint64_t most_;
    std::string tail_;
    std::uint64_t seen_ = 0;
};

}  // namespace sy::worker
