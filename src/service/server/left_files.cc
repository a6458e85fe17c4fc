#include "service/server/left_files.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace sy::server {

void remove_left_files(const std::string& folder, TaskId task, std::size_t attempts) {
    for (std::size_t attempt = 1; attempt <= attempts; ++attempt)
        for (const char* stream : {"out", "err"})
            ::unlink(fmt::format("{}/logs/{}-{}.{}", folder, task.value(), attempt, stream).c_str());
    std::error_code ignored;
    std::filesystem::remove_all(fmt::format("{}/checkpoints/{}", folder, task.value()), ignored);
}

}  // namespace sy::server
