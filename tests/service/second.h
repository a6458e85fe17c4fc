// Second: a further server of a service's folder and store: it stands by until the first is gone.
#pragma once

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/redis_server.h"
#include "service/service.h"

namespace sy::service_test {

/// Of servers that share a store.
struct Clocks {
    int lease_s = 3;
    int beat_s = 1;
    int silence_s = 20;
};

/// What a takeover may take beside the lease, on a machine that others use too. The strict figure is the bench's.
inline constexpr std::chrono::seconds kSlow{5};

inline std::vector<std::string> shared_by(const RedisServer& redis, const Clocks& clocks = {},
                                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--store",
                                   "unix://" + redis.address().path,
                                   "--store-lease-seconds",
                                   std::to_string(clocks.lease_s),
                                   "--worker-heartbeat-interval-seconds",
                                   std::to_string(clocks.beat_s),
                                   "--worker-heartbeat-timeout-seconds",
                                   std::to_string(clocks.silence_s),
                                   "--stop-grace-seconds",
                                   "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

class Second {
public:
    Second(const Service& first, const std::vector<std::string>& settings) : log_(first.folder() + "/second.log") {
        std::vector<std::string> words{SWITCHYARD_BINARY, "serve",  "--folder",
                                       first.folder(),    "--gpus", fmt::format("simulated:{}", first.gpus())};
        words.insert(words.end(), settings.begin(), settings.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            const int log = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            ::dup2(log, 1);
            ::dup2(log, 2);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
    }
    ~Second() { end(SIGKILL); }
    Second(const Second&) = delete;
    Second& operator=(const Second&) = delete;

    int end(int signal) {
        if (pid_ <= 0) return 0;
        int status = 0;
        ::kill(pid_, signal);
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return status;
    }
    bool says(const std::string& words, std::chrono::seconds patience = std::chrono::seconds(30)) const {
        for (const auto end = std::chrono::steady_clock::now() + patience; std::chrono::steady_clock::now() < end;) {
            if (log().find(words) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    std::string log() const {
        std::ifstream file(log_);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

private:
    std::string log_;
    pid_t pid_ = -1;
};

}  // namespace sy::service_test
