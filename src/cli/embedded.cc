#include "cli/embedded.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sy::cli {

namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::milliseconds kBetweenPeeks{20};

/// What it said last of why it did not come up; how to mend that stands below it in the log.
std::string last_words(const std::string& log) {
    std::ifstream file(log);
    std::string line;
    std::string last;
    while (std::getline(file, line))
        if (!line.empty() && !line.starts_with("  fix:")) last = line;
    return last;
}

Result<pid_t> start(const std::string& folder, const std::vector<std::string>& settings) {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(), "serve", "--folder",
                                   folder};
    words.insert(words.end(), settings.begin(), settings.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log = folder + "/serve.log";
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // our Ctrl-C is not for it
    pid_t pid = -1;
    const int trouble = ::posix_spawn(&pid, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (trouble == 0) return pid;
    return fail(Fault::failed, fmt::format("the service cannot be started: {}", ::strerrordesc_np(trouble)));
}

}  // namespace

bool is_answering(const ServerArguments& server) {
    return ask_plainly(server, "GET", "/healthz").has_value();
}

Result<Embedded> Embedded::open(const std::string& folder, const std::vector<std::string>& settings) {
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble) return fail(Fault::failed, fmt::format("{} cannot be made: {}", folder, trouble.message()));
    Embedded embedded;
    embedded.server_ = ServerArguments("unix:" + folder + "/api.sock");
    if (is_answering(embedded.server_)) return embedded;
    const auto pid = start(folder, settings);
    if (!pid) return tl::unexpected(pid.error());
    embedded.pid_ = *pid;
    for (const auto end = std::chrono::steady_clock::now() + kPatience; !is_answering(embedded.server_);) {
        const bool gone = ::waitpid(*pid, nullptr, WNOHANG) == *pid;
        if (gone || std::chrono::steady_clock::now() > end)
            return fail(Fault::failed, "the service did not come up: " + last_words(folder + "/serve.log"),
                        "all it said is in " + folder + "/serve.log");
        std::this_thread::sleep_for(kBetweenPeeks);
    }
    return embedded;
}

void Embedded::stop() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGTERM);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

}  // namespace sy::cli
