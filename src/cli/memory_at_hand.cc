#include "cli/memory_at_hand.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

namespace sy::cli {

void keep_memory_at_hand(char** words) {
    constexpr const char* kSaid = "GLIBC_TUNABLES";
    if (std::getenv(kSaid) != nullptr) return;  // NOLINT(concurrency-mt-unsafe): there are no threads yet
    std::error_code trouble;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", trouble).string();
    if (trouble) return;
    ::setenv(kSaid, "glibc.malloc.tcache_count=400", 1);  // NOLINT(concurrency-mt-unsafe)
    ::execv(program.c_str(), words);
}

}  // namespace sy::cli
