#include "service/outpost/identity.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <sys/random.h>

namespace sy::outpost {

namespace {

std::string first_line_of(const std::string& path) {
    std::string line;
    std::getline(std::ifstream(path) >> std::ws, line);
    return line;
}

std::string drawn() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

}  // namespace

Result<std::string> identity_in(const std::string& folder) {
    const std::string path = folder + "/host.id";
    std::string own = first_line_of(path);
    if (own.empty()) {
        own = drawn();
        std::ofstream file(path);
        file << own << '\n';
        if (own.empty() || !file.flush())
            return fail(Fault::failed,
                        fmt::format("{} cannot be written: {}", path, std::generic_category().message(errno)),
                        "name a folder that may be written");
    }
    return own + "/" + first_line_of("/proc/sys/kernel/random/boot_id");
}

}  // namespace sy::outpost
