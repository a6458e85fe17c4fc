// Host: a real `switchyard worker` on simulated GPUs in a folder of its own, for a service elsewhere.
#pragma once

#include <csignal>
#include <filesystem>
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

#include "service/service.h"
#include "service/test_folder.h"

namespace sy::service_test {

class Host {
public:
    using Words = std::vector<std::string>;

    /// `before`: words that go before the command, as in `ip netns exec NAME`.
    Host(std::string server, std::string name, unsigned gpus = 1, Words more = {}, Words before = {})
        : Host(std::move(server), std::move(name), fmt::format("simulated:{}", gpus), std::move(more),
               std::move(before)) {}
    /// `gpus`: as `--gpus` takes it.
    Host(std::string server, std::string name, std::string gpus, Words more = {}, Words before = {})
        : server_(std::move(server)),
          name_(std::move(name)),
          gpus_(std::move(gpus)),
          more_(std::move(more)),
          before_(std::move(before)) {
        start();
    }
    ~Host() {
        kill(SIGKILL);
        for (int looks = 0; looks < 20; ++looks) {
            for (const pid_t worker : workers()) ::kill(worker, SIGKILL);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    void start() {
        Words words = before_;
        words.insert(words.end(), {SWITCHYARD_BINARY, "worker", "--server", server_, "--name", name_, "--gpus", gpus_,
                                   "--folder", folder()});
        words.insert(words.end(), more_.begin(), more_.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ != 0) return;
        const int log = ::open((folder() + "/host.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(log, 1);
        ::dup2(log, 2);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    /// The process that speaks for the host; its workers go on.
    int kill(int signal) {
        if (pid_ <= 0) return 0;
        ::kill(pid_, signal);
        return wait();
    }
    void signal(int number) const { ::kill(pid_, number); }
    int wait() {
        int status = 0;
        ::waitpid(std::exchange(pid_, -1), &status, 0);
        return status;
    }
    pid_t pid() const { return pid_; }
    const std::string& name() const { return name_; }
    const std::string& folder() const { return folder_.path(); }
    std::string log() const {
        std::ifstream in(folder() + "/host.log");
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    bool says(const std::string& words) const {
        for (int i = 0; i < 2000; ++i) {
            if (log().find(words) != std::string::npos) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return false;
    }
    std::size_t spooled_logs() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder() + "/logs")) ++count;
        return count;
    }
    /// Those that are at work.
    std::vector<pid_t> workers() const {
        std::vector<pid_t> pids;
        for (const auto& entry : std::filesystem::directory_iterator(folder())) {
            if (!entry.path().filename().string().starts_with("worker-")) continue;
            const int file = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
            const bool held = file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) != 0;
            if (file >= 0) ::close(file);
            pid_t pid = -1;
            if (held) std::ifstream(entry.path()) >> pid;
            if (pid > 0) pids.push_back(pid);
        }
        return pids;
    }

private:
    TestFolder folder_;
    std::string server_;
    std::string name_;
    std::string gpus_;
    Words more_;
    Words before_;
    pid_t pid_ = -1;
};

/// How the service sees the host; null where it does not.
inline Json seen(const Service& service, const std::string& name) {
    const Json answer = service.get("/api/v1/hosts");
    for (const Json& host : answer.value("hosts", Json::array()))
        if (host["name"] == name) return host;
    return nullptr;
}

/// Whether so many of its GPUs take work, soon.
inline bool comes(const Service& service, const std::string& name, unsigned gpus) {
    for (int i = 0; i < 2000; ++i) {
        unsigned ready = 0;
        for (const Json& gpu : service.get("/api/v1/gpus").value("gpus", Json::array()))
            ready += gpu.value("host", "") == name && gpu["state"] == "free" ? 1U : 0U;
        if (ready == gpus) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

}  // namespace sy::service_test
