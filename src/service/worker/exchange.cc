#include "service/worker/exchange.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "service/loop/sockets.h"

namespace sy::worker {

namespace {

sockaddr_in name_of(const std::string& address, std::uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    if (::inet_pton(AF_INET, address.c_str(), &name.sin_addr) != 1) name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return name;
}

}  // namespace

Exchange::Exchange(const ServerPlace& place, const std::string& method, const std::string& target,
                   const std::string& body)
    : unsent_(fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nAccept: */*\r\nConnection: close\r\nContent-Type: "
                          "application/json\r\nContent-Length: {}\r\n\r\n{}",
                          method, target, place.address, place.port, body.size(), body)) {
    const sockaddr_in name = name_of(place.address, place.port);
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd_ >= 0 && ::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0)
        connected_ = true;
    else if (fd_ < 0 || errno != EINPROGRESS)
        fail(errno);
}

Exchange::~Exchange() {
    if (fd_ >= 0) ::close(fd_);
}

pollfd Exchange::waits_for() const {
    if (is_whole() || !trouble().empty()) return {-1, 0, 0};
    return {fd_, static_cast<short>(POLLIN | (connected_ && unsent_.empty() ? 0 : POLLOUT)), 0};
}

void Exchange::fail(int error) {
    cut_ = true;
    trouble_ = fmt::format("it cannot be reached: {}", ::strerrordesc_np(error));
}

void Exchange::step() {
    if (fd_ < 0 || is_whole() || !trouble().empty()) return;
    if (!connected_) {
        pollfd ready{fd_, POLLOUT, 0};
        if (::poll(&ready, 1, 0) == 0) return;
        int error = 0;
        socklen_t size = sizeof error;
        ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return fail(error);
        connected_ = true;
    }
    if (!loop::write_some(fd_, unsent_)) unsent_.clear();  // it may have answered before it hung up
    if (loop::read_all(fd_, [this](std::string_view bytes) { answer_.add(bytes); })) return;
    const bool was_fine = trouble().empty();
    answer_.end();
    cut_ = was_fine && !answer_.trouble().empty();
}

std::uint16_t free_port(const std::string& address) {
    sockaddr_in name = name_of(address, 0);
    socklen_t size = sizeof name;
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 0;
    const bool bound = ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0;
    ::close(fd);
    return bound ? ntohs(name.sin_port) : 0;
}

}  // namespace sy::worker
