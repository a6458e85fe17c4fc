// Contenders: several servers that share a folder and a store in Redis. One of them leads, the others stand by.
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "service/redis_server.h"
#include "service/service.h"

namespace sy::service_test {

struct ContendersWish {
    unsigned servers = 3;
    unsigned gpus = 2;
    int lease_s = 1;
    Duration patience = 2s;              ///< With one that is asked.
    std::vector<std::string> more = {};  ///< For every command line.
};

class Contenders {
public:
    using Words = std::vector<std::string>;

    /// None of them is started yet.
    Contenders(const RedisServer& redis, ContendersWish wish)
        : redis_(redis), wish_(std::move(wish)), pids_(wish_.servers, -1) {}
    ~Contenders() { end(); }
    Contenders(const Contenders&) = delete;
    Contenders& operator=(const Contenders&) = delete;

    /// `before`: words before the command, as "ip netns exec NAME"; `store`: where that server finds Redis.
    void start(unsigned server, const Words& before = {}, std::string store = {}) {
        if (store.empty()) store = "unix://" + redis_.address().path;
        Words words = before;
        words.insert(words.end(), {SWITCHYARD_BINARY, "serve", "--folder", folder(), "--gpus",
                                   fmt::format("simulated:{}", wish_.gpus), "--store", store, "--store-lease-seconds",
                                   std::to_string(wish_.lease_s), "--advertise", name_of(server),
                                   "--worker-heartbeat-interval-seconds", "1", "--worker-heartbeat-timeout-seconds",
                                   "30", "--stop-grace-seconds", "1"});
        words.insert(words.end(), wish_.more.begin(), wish_.more.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        pids_[server] = ::fork();
        if (pids_[server] != 0) return;
        const int log = ::open(log_of(server).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(log, 1);
        ::dup2(log, 2);
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    void signal(unsigned server, int signal) const { ::kill(pids_[server], signal); }
    /// Its status, as waitpid has it, or -1 where it did not end in time.
    int wait_for(unsigned server, std::chrono::seconds patience = std::chrono::seconds(30)) {
        int status = 0;
        for (const auto end = Clock::now() + patience;; pause()) {
            if (::waitpid(pids_[server], &status, WNOHANG) == pids_[server]) {
                pids_[server] = -1;
                return status;
            }
            if (Clock::now() >= end) return -1;
        }
    }
    bool is_there(unsigned server) const { return server < wish_.servers; }
    bool is_up(unsigned server) const { return pids_[server] > 0; }
    pid_t pid(unsigned server) const { return pids_[server]; }

    /// Who leads as Redis has it; -1: nobody.
    int leader() const {
        const std::string value = redis_.ask("GET", "{switchyard}:leader");
        for (unsigned i = 0; i < wish_.servers; ++i)
            if (value.ends_with(" " + name_of(i))) return static_cast<int>(i);
        return -1;
    }
    int wait_for_leader(std::chrono::seconds patience = std::chrono::seconds(30)) const {
        for (const auto end = Clock::now() + patience; Clock::now() < end; pause())
            if (const int leads = leader(); leads >= 0 && answers()) return leads;
        return -1;
    }
    bool answers() const {
        const auto ready = ask("GET", "/readyz");
        return ready && ready->status == 200;
    }
    /// Whoever leads; an error where nobody answers soon.
    Result<http::Response> ask(const std::string& method, const std::string& target,
                               const std::string& body = {}) const {
        return http::ask("unix:" + folder() + "/api.sock", method, target, body,
                         {.bearer = {}, .patience = wish_.patience});
    }
    /// The task under that key, by however many tries; 0 where nobody takes it in time.
    std::uint64_t submit(const std::string& key, const std::string& script,
                         std::chrono::seconds patience = std::chrono::seconds(30)) const {
        const std::string body = Json{{"command", {"sh", "-c", script}}, {"key", key}, {"retries", 5}}.dump();
        for (const auto end = Clock::now() + patience; Clock::now() < end; pause()) {
            const auto answer = ask("POST", "/api/v1/tasks", body);
            if (answer && (answer->status == 201 || answer->status == 200)) return Json::parse(answer->body)["id"];
        }
        return 0;
    }
    Json get(const std::string& target) const {
        const auto answer = ask("GET", target);
        return answer ? Json::parse(answer->body, nullptr, false) : Json();
    }
    Json wait_until(std::uint64_t task, const std::string& state,
                    std::chrono::seconds patience = std::chrono::seconds(60)) const {
        Json last;
        for (const auto end = Clock::now() + patience; Clock::now() < end; pause()) {
            last = get(fmt::format("/api/v1/tasks/{}", task));
            if (last.is_object() && last.value("state", "") == state) break;
        }
        return last;
    }
    bool says(unsigned server, const std::string& words,
              std::chrono::seconds patience = std::chrono::seconds(15)) const {
        for (const auto end = Clock::now() + patience; Clock::now() < end; pause())
            if (file(fmt::format("server-{}.log", server)).find(words) != std::string::npos) return true;
        return false;
    }

    const std::string& folder() const { return folder_.path(); }
    std::string file(const std::string& name) const {
        std::ifstream in(folder() + "/" + name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }

private:
    using Clock = std::chrono::steady_clock;

    static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
    static std::string name_of(unsigned server) { return fmt::format("http://server-{}:1", server); }
    std::string log_of(unsigned server) const { return fmt::format("{}/server-{}.log", folder(), server); }

    void end() {
        for (unsigned i = 0; i < wish_.servers; ++i) {
            if (pids_[i] <= 0) continue;
            ::kill(pids_[i], SIGKILL);
            ::waitpid(std::exchange(pids_[i], -1), nullptr, 0);
        }
        for (int looks = 0; looks < 40; ++looks) {  // one that was just started takes a moment to be seen
            for (unsigned gpu = 0; gpu < wish_.gpus; ++gpu)
                if (const pid_t pid = worker_in(folder(), gpu); pid > 0) ::kill(pid, SIGKILL);
            pause();
        }
    }

    const RedisServer& redis_;
    ContendersWish wish_;
    TestFolder folder_;
    std::vector<pid_t> pids_;
};

}  // namespace sy::service_test
