// Relay: stands between a client and a server's Unix socket, and can lose an answer and the line with it.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sy::service_test {

class Relay {
public:
    Relay(const std::string& at, std::string to) : to_(std::move(to)), listener_(socket_at(at, true)) {
        thread_ = std::thread([this] { work(); });
    }
    ~Relay() {
        ending_ = true;
        thread_.join();
        ::close(listener_);
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// What the server says next is heard by nobody.
    void lose_next_answer() { lose_ = true; }
    int lost() const { return lost_; }
    /// Calls that, once, when so many more answers have come; the last of them is passed on afterwards. To be said
    /// while nothing is asked.
    void at_answer(int more, std::function<void()> call) {
        call_ = std::move(call);
        until_call_ = more;
    }

private:
    static int socket_at(const std::string& path, bool listens) {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un place{};
        place.sun_family = AF_UNIX;
        path.copy(place.sun_path, sizeof place.sun_path - 1);
        const auto* address = reinterpret_cast<const sockaddr*>(&place);
        if (listens) {
            ::bind(fd, address, sizeof place);
            ::listen(fd, 8);
        } else {
            static_cast<void>(::connect(fd, address, sizeof place));
        }
        return fd;
    }

    void work() {
        while (!ending_) {
            pollfd wait{listener_, POLLIN, 0};
            if (::poll(&wait, 1, 20) != 1) continue;
            const int client = ::accept(listener_, nullptr, nullptr);
            const int server = socket_at(to_, false);
            while (!ending_ && passes_on(client, server)) {
            }
            ::close(client);
            ::close(server);
        }
    }

    bool passes_on(int client, int server) {
        std::array<pollfd, 2> wait{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
        if (::poll(wait.data(), 2, 20) == 0) return true;
        if (wait[0].revents != 0) return carry(client, server);
        if (lose_.exchange(false)) {
            ++lost_;
            return false;
        }
        if (until_call_ > 0 && --until_call_ == 0) call_();
        return carry(server, client);
    }

    static bool carry(int from, int to) {
        std::array<char, 65536> buffer;
        const ssize_t n = ::read(from, buffer.data(), buffer.size());
        return n > 0 && ::send(to, buffer.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
    }

    std::string to_;
    int listener_;
    std::atomic<bool> ending_ = false;
    std::atomic<bool> lose_ = false;
    std::atomic<int> lost_ = 0;
    std::atomic<int> until_call_ = 0;
    std::function<void()> call_;
    std::thread thread_;
};

}  // namespace sy::service_test
