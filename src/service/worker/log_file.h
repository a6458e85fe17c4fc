// LogFile: what a task writes, up to a limit. What comes after is counted and not kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sy::worker {

class LogFile {
public:
    /// A new file, made when there is something to keep; where that cannot be, everything is counted all the same.
    LogFile(std::string path, std::uint64_t most) : path_(std::move(path)), most_(most) {}
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;
    ~LogFile();

    void add(std::string_view bytes);
    /// The end of what came.
    const std::string& tail() const { return tail_; }
    /// All that came, kept or not.
    std::uint64_t seen() const { return seen_; }

private:
    std::string path_;
    int file_ = -1;
    std::uint64_t most_;
    std::string tail_;
    std::uint64_t seen_ = 0;
};

}  // namespace sy::worker
