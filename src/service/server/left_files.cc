#include "service/server/left_files.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sy::server {

void let_users_through(const std::string& folder) {
    ::umask(077);
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        if (!entry.is_symlink()) ::chmod(entry.path().c_str(), entry.is_directory() ? 0700 : 0600);
    const std::string checkpoints = folder + "/checkpoints";
    ::mkdir(checkpoints.c_str(), 0700);
    ::chmod(checkpoints.c_str(), 0711);
    ::chmod(folder.c_str(), 0711);
}

std::string written_by(const std::string& folder, TaskId task, std::size_t attempt) {
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    std::ifstream file(fmt::format("{}/logs/{}-{}.out", folder, task.value(), attempt), std::ios::binary);
    std::string text(kMost, '\0');
    file.read(text.data(), kMost);
    text.resize(static_cast<std::size_t>(file.gcount()));
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

void remove_left_files(const std::string& folder, TaskId task, std::size_t attempts) {
    for (std::size_t attempt = 1; attempt <= attempts; ++attempt)
        for (const char* stream : {"out", "err"})
            ::unlink(fmt::format("{}/logs/{}-{}.{}", folder, task.value(), attempt, stream).c_str());
    std::error_code ignored;
    std::filesystem::remove_all(fmt::format("{}/checkpoints/{}", folder, task.value()), ignored);
}

}  // namespace sy::server
