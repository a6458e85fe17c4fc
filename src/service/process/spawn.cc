#include "service/process/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

namespace sy::process {

Pipe Pipe::make() {
    std::array<int, 2> ends{};
    SY_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe: error {}", errno);
    return {ends[0], ends[1]};
}

/// A file in memory that holds the text, to be read from its beginning.
int text_fd(const std::string& text) {
    if (text.empty()) return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int file = ::memfd_create("input", MFD_CLOEXEC);
    for (std::size_t at = 0; file >= 0 && at < text.size();) {
        const ssize_t n = ::write(file, text.data() + at, text.size() - at);
        if (n <= 0) break;
        at += static_cast<std::size_t>(n);
    }
    if (file >= 0) ::lseek(file, 0, SEEK_SET);
    return file;
}

namespace {

/// Everything the child needs, made before the fork: between fork and exec nothing may allocate.
struct Plan {
    std::vector<std::string> settings;
    std::vector<char*> argv;
    std::vector<char*> environment;
    std::vector<std::string> programs;  ///< To be tried in this order.
    pid_t parent;
    const char* folder;
    int input;
    int out;
    int err;
    int complaint;
};

std::vector<std::string> programs_for(const Command& command) {
    const std::string& name = command.argv.front();
    if (name.find('/') != std::string::npos) return {name};
    std::string path = "/usr/local/bin:/usr/bin:/bin";
    for (const auto& [key, value] : command.environment)
        if (key == "PATH") path = value;
    std::vector<std::string> programs;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t colon = std::min(path.find(':', at), path.size());
        if (colon > at) programs.push_back(path.substr(at, colon - at) + "/" + name);
        at = colon + 1;
    }
    return programs;
}

[[noreturn]] void complain(int to, int error) {
    static_cast<void>(!::write(to, &error, sizeof error));
    ::_exit(127);
}

/// In the child. Only what is safe between fork and exec.
[[noreturn]] void become(const Plan& plan) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) ::_exit(127);  // it died before that could count
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    if (::dup2(plan.input, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.err, 2) < 0)
        complain(plan.complaint, errno);
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what others may have left open; the complaint goes with the exec
    if (::chdir(plan.folder) != 0) complain(plan.complaint, errno);
    int error = ENOENT;
    for (const std::string& program : plan.programs) {
        ::execve(program.c_str(), plan.argv.data(), plan.environment.data());
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    complain(plan.complaint, error);
}

}  // namespace

Result<pid_t> spawn(const Command& command, const Streams& streams) {
    SY_CHECK(!command.argv.empty(), "a command without a program");
    Plan plan;
    for (const auto& [key, value] : command.environment) plan.settings.push_back(fmt::format("{}={}", key, value));
    for (std::string& setting : plan.settings) plan.environment.push_back(setting.data());
    for (const std::string& word : command.argv) plan.argv.push_back(const_cast<char*>(word.c_str()));
    plan.environment.push_back(nullptr);
    plan.argv.push_back(nullptr);
    plan.programs = programs_for(command);
    plan.parent = ::getpid();
    plan.folder = command.folder.c_str();
    plan.input = streams.in;
    plan.out = streams.out;
    plan.err = streams.err;
    const Pipe complaint = Pipe::make();
    plan.complaint = complaint.write;

    const pid_t pid = ::fork();
    if (pid == 0) become(plan);
    int error = pid < 0 ? errno : 0;
    ::close(complaint.write);
    if (pid > 0 && ::read(complaint.read, &error, sizeof error) == sizeof error) ::waitpid(pid, nullptr, 0);
    ::close(complaint.read);
    if (error == 0) return pid;
    return fail(Fault::failed,
                fmt::format("'{}' cannot be started: {}", command.argv.front(), ::strerrordesc_np(error)),
                "check the program's name and the working directory");
}

}  // namespace sy::process
