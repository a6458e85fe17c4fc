// RedisServer: a real redis-server of a test's own, in a folder of its own, behind a Unix socket. It ends with the
// test. LedRedisStore: the store of a server that leads, and stops to lead with it.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "service/redis/connection.h"
#include "service/store/leadership.h"
#include "service/store/redis_store.h"
#include "service/test_folder.h"

namespace sy::service_test {

/// One that nobody listens on at the moment.
inline int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    ::bind(fd, reinterpret_cast<sockaddr*>(&place), size);
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&place), &size);
    ::close(fd);
    return ::ntohs(place.sin_port);
}

class RedisServer {
public:
    using Words = std::vector<std::string>;

    /// As a port: one that nobody listens on.
    static constexpr int kAnyPort = -1;

    explicit RedisServer(Words more = {"--appendonly", "yes", "--appendfsync", "everysec"}, int port = 0)
        : more_(std::move(more)), port_(port) {
        std::filesystem::create_directory(data());
        for (int tries = 0; tries < 10 && pid_ <= 0; ++tries) {
            if (port == kAnyPort) port_ = free_port();  // another may take it meanwhile
            try_to_start();
        }
        SY_CHECK(pid_ > 0, "redis-server ends at once; is it installed?");
    }
    ~RedisServer() { kill(); }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    redis::Address address() const { return {.path = folder_.path() + "/redis.sock"}; }
    store::RedisPlace place() const { return {.address = address()}; }
    std::string data() const { return folder_.path() + "/data"; }
    int port() const { return port_; }

    void start() {
        try_to_start();
        SY_CHECK(pid_ > 0, "redis-server ends at once; is it installed?");
    }
    /// As a crash would.
    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(std::exchange(pid_, 0), nullptr, 0);
        ::unlink(address().path.c_str());
    }
    void restart() {
        kill();
        start();
    }

    /// One command, its answer as text; lists are joined by spaces.
    template <class... Parts>
    std::string ask(const Parts&... parts) const {
        auto line = redis::Connection::open(address());
        if (!line) return line.error().message;
        const auto reply = line->ask(redis::Command(parts...));
        return reply ? text_of(*reply) : reply.error().message;
    }

private:
    /// Its process is 0 where it ended at once.
    void try_to_start() {
        Words words{"redis-server",
                    "--port",
                    std::to_string(port_),
                    "--bind",
                    "127.0.0.1",
                    "--unixsocket",
                    address().path,
                    "--dir",
                    data(),
                    "--save",
                    "",
                    "--logfile",
                    folder_.path() + "/log",
                    "--daemonize",
                    "no"};
        words.insert(words.end(), more_.begin(), more_.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::execvp("redis-server", arguments.data());
            ::execvp("redis-check-rdb", arguments.data());  // the same program, in a package without a service
            ::_exit(127);
        }
        wait_until_it_answers();
    }

    static std::string text_of(const redis::Value& value) {
        std::string text(value.text());
        if (text.empty() && value.number()) text = std::to_string(*value.number());
        for (std::size_t i = 0; i < value.size(); ++i) text += (i == 0 ? "" : " ") + text_of(value[i]);
        return text;
    }

    void wait_until_it_answers() {
        for (int i = 0; i < 2'000; ++i) {
            if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return static_cast<void>(pid_ = 0);
            auto line = redis::Connection::open(address());
            if (line && line->ask(redis::Command("PING"))) return;
            if (line && line->trouble() == redis::Trouble::refused_password) return;
            if (!line && line.error().fault != Fault::unreachable) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        SY_CHECK(false, "redis-server does not answer; is it installed?");
    }

    TestFolder folder_;
    Words more_;
    int port_ = 0;
    pid_t pid_ = 0;
};

class LedRedisStore final : public store::Store {
public:
    static Result<std::unique_ptr<Store>> open(const store::RedisPlace& place) {
        auto leadership = store::Leadership::open(place, {.address = "here", .lease = std::chrono::minutes(1)});
        if (!leadership) return tl::unexpected(leadership.error());
        const auto tried = leadership->take();
        if (!tried) return tl::unexpected(tried.error());
        if (*tried != store::Try::taken)
            return fail(Fault::failed, "another server leads: " + (*leadership->who_leads())->address);
        auto redis = store::RedisStore::open(place);
        if (!redis) return tl::unexpected(redis.error());
        (*redis)->lead(leadership->term());
        return std::unique_ptr<Store>(new LedRedisStore(std::move(*leadership), std::move(*redis)));
    }
    ~LedRedisStore() override { static_cast<void>(leadership_.give_up()); }

    Result<store::Recovered> recover() override { return store_->recover(); }
    Result<void> commit(const std::vector<store::Group>& groups) override { return store_->commit(groups); }
    Result<void> keep_snapshot(const std::string& snapshot) override { return store_->keep_snapshot(snapshot); }
    Result<std::unique_ptr<store::Reader>> reader() override { return store_->reader(); }
    Result<store::Old> find_old(std::int64_t ended_before, TaskId after, std::uint32_t most) override {
        return store_->find_old(ended_before, after, most);
    }
    Result<void> forget(const std::vector<TaskId>& tasks) override { return store_->forget(tasks); }
    bool is_full() const override { return store_->is_full(); }
    bool is_away() const override { return store_->is_away(); }
    bool is_still_ours() override { return store_->is_still_ours(); }
    bool is_deposed() const override { return store_->is_deposed(); }

private:
    LedRedisStore(store::Leadership leadership, std::unique_ptr<store::RedisStore> redis)
        : leadership_(std::move(leadership)), store_(std::move(redis)) {}

    store::Leadership leadership_;
    std::unique_ptr<store::RedisStore> store_;
};

}  // namespace sy::service_test
