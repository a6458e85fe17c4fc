// Service: a real `switchyard serve` on simulated GPUs in a folder of its own, for a test to use and to maltreat.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/http/client.h"
#include "service/test_folder.h"

namespace sy::service_test {

using Json = nlohmann::ordered_json;

/// The process of a GPU's worker; -1 where none is at work.
inline pid_t worker_in(const std::string& folder, unsigned gpu) {
    const std::string path = fmt::format("{}/worker-{}.lock", folder, gpu);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    const bool held = ::flock(file, LOCK_EX | LOCK_NB) != 0;
    ::close(file);
    pid_t pid = -1;
    if (held) std::ifstream(path) >> pid;
    return pid;
}

class Service {
public:
    /// `settings`: further words for the command line.
    explicit Service(unsigned gpus = 2, std::vector<std::string> settings = {})
        : settings_(std::move(settings)), gpus_(gpus) {
        start();
    }
    /// Not started yet: `start_with` does.
    struct Later {
        explicit Later() = default;
    };
    Service(unsigned gpus, Later) : gpus_(gpus) {}
    ~Service() { end(); }
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    /// Nothing of it runs any more; what it wrote stays until it is destroyed.
    void end() {
        kill_server(SIGKILL);
        for (int looks = 0; looks < 40; ++looks) {  // one that was just started takes a moment to be seen
            for (unsigned gpu = 0; gpu < gpus_; ++gpu)
                if (const pid_t pid = worker(gpu); pid > 0) ::kill(pid, SIGKILL);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    void start_with(std::vector<std::string> settings) {
        settings_ = std::move(settings);
        start();
    }
    void start() {
        std::vector<std::string> words{SWITCHYARD_BINARY, "serve", "--folder", folder()};
        if (std::find(settings_.begin(), settings_.end(), "--gpus") == settings_.end())
            words.insert(words.end(), {"--gpus", fmt::format("simulated:{}", gpus_)});
        words.insert(words.end(), settings_.begin(), settings_.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        server_ = ::fork();
        if (server_ == 0) {
            const int log = ::open((folder() + "/serve.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            ::dup2(log, 1);
            ::dup2(log, 2);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
        const auto has_ended = [this] {
            siginfo_t info{};
            return ::waitid(P_PID, static_cast<id_t>(server_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   info.si_pid == server_;
        };
        for (int i = 0; i < 1000 && !ask("GET", "/readyz") && !has_ended(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    /// The exit status, as waitpid has it.
    int kill_server(int signal) {
        if (server_ <= 0) return 0;
        int status = 0;
        ::kill(server_, signal);
        ::waitpid(server_, &status, 0);
        server_ = -1;
        return status;
    }
    void signal_server(int signal) const { ::kill(server_, signal); }
    int wait_for_server() {
        int status = 0;
        ::waitpid(server_, &status, 0);
        server_ = -1;
        return status;
    }

    pid_t server() const { return server_; }
    unsigned gpus() const { return gpus_; }
    std::string address() const { return "unix:" + folder() + "/api.sock"; }

    pid_t worker(unsigned gpu) const { return worker_in(folder(), gpu); }

    Result<http::Response> ask(const std::string& method, const std::string& target,
                               const std::string& body = {}) const {
        return http::ask(address(), method, target, body);
    }
    /// Bytes as they are, until the server hangs up.
    std::string say(const std::string& bytes) const {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        (folder() + "/api.sock").copy(name.sun_path, sizeof name.sun_path - 1);
        std::string heard;
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
            ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size())) {
            char buffer[4096];
            for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;)
                heard.append(buffer, static_cast<std::size_t>(n));
        }
        ::close(fd);
        return heard;
    }
    Json get(const std::string& target) const {
        const auto response = ask("GET", target);
        return response ? Json::parse(response->body, nullptr, false) : Json();
    }
    Json task(std::uint64_t id) const { return get(fmt::format("/api/v1/tasks/{}", id)); }
    /// 0 where the service did not take it.
    std::uint64_t submit(const std::string& script, Json more = Json::object()) const {
        more["command"] = {"sh", "-c", script};
        const auto response = ask("POST", "/api/v1/tasks", more.dump());
        if (!response || response->status != 201) return 0;
        return Json::parse(response->body)["id"];
    }
    /// The task once it is in this state, or as it is after too long a wait.
    Json wait_until(std::uint64_t id, const std::string& state,
                    std::chrono::seconds patience = std::chrono::seconds(20)) const {
        const auto end = std::chrono::steady_clock::now() + patience;
        Json last;
        while (std::chrono::steady_clock::now() < end) {
            last = task(id);
            if (last.is_object() && last.value("state", "") == state) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return last;
    }

    /// Every GPU has its worker: who is tied to one that has none goes elsewhere.
    bool has_all_workers() const {
        const auto all = [&] {
            const Json gpus = get("/api/v1/gpus")["gpus"];
            return std::all_of(gpus.begin(), gpus.end(), [](const Json& gpu) { return gpu["state"] == "free"; });
        };
        for (int looks = 0; looks < 2000 && !all(); ++looks) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return all();
    }

    const std::string& folder() const { return folder_.path(); }
    std::string file(const std::string& name) const {
        std::ifstream in(folder() + "/" + name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }

private:
    TestFolder folder_;
    std::vector<std::string> settings_;
    unsigned gpus_;
    pid_t server_ = -1;
};

}  // namespace sy::service_test
