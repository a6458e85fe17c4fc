#include "cli/write_text.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

namespace sy::cli {

Result<void> write_text(const std::string& path, const std::string& text) {
    std::FILE* const file = path == "-" ? stdout : std::fopen(path.c_str(), "wb");
    bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    int reason = errno;
    if (file != nullptr && (file == stdout ? std::fflush(file) : std::fclose(file)) != 0) {
        reason = written ? errno : reason;
        written = false;
    }
    if (written) return {};
    return fail(Fault::failed,
                fmt::format("{} cannot be written: {}", path == "-" ? "standard output" : path,
                            std::generic_category().message(reason)),
                "check the folder, its permissions and the room on the disk");
}

}  // namespace sy::cli
