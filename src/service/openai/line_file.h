// LineFile: a file that is written a part at a time and appears as a whole, once all of it is on disk.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sy::openai {

class LineFile {
public:
    LineFile() = default;
    ~LineFile();
    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    Result<void> open(const std::string& path);
    void add(std::string_view text);
    std::uint64_t bytes() const { return bytes_; }
    /// Only now is there a file of that name; an error where anything of it could not be written.
    Result<void> finish();

private:
    void write_out();

    std::string path_;
    int file_ = -1;
    std::string unwritten_;
    std::uint64_t bytes_ = 0;
    int trouble_ = 0;  ///< The first error; 0: none.
};

}  // namespace sy::openai
