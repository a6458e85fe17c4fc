#include "service/host/host.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

namespace sy::host {

namespace {

class Socket {
public:
    Socket() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    ~Socket() {
        if (fd_ >= 0) close(fd_);
    }
    int fd() const { return fd_; }

private:
    int fd_;
};

}  // namespace

unsigned core_count() {
    return std::thread::hardware_concurrency();
}

Bytes memory_total() {
    struct sysinfo info {};
    if (sysinfo(&info) != 0) return Bytes{};
    return Bytes(std::uint64_t{info.totalram} * info.mem_unit);
}

std::uint64_t open_file_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

Bytes room_in(const std::string& folder) {
    struct statvfs info {};
    if (statvfs(folder.c_str(), &info) != 0) return Bytes{};
    return Bytes(std::uint64_t{info.f_bavail} * info.f_frsize);
}

std::optional<std::string> find_program(const std::string& name) {
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const std::string candidate = std::string(folder) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return std::nullopt;
}

bool has_library(const std::string& name) {
    void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return false;
    dlclose(library);
    return true;
}

bool redis_answers(std::uint16_t port) {
    const Socket socket;
    const timeval patience{0, 200'000};
    setsockopt(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
    constexpr std::string_view kPing = "PING\r\n";
    if (send(socket.fd(), kPing.data(), kPing.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kPing.size())) return false;
    std::array<char, 16> answer{};
    const ssize_t got = recv(socket.fd(), answer.data(), answer.size(), 0);
    // A Redis that wants a password answers with an error of its own; it is there all the same.
    return got > 0 && (answer[0] == '+' || answer[0] == '-');
}

bool has_cgroup2() {
    return access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0;
}

}  // namespace sy::host
