#include "service/process/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "service/process/account.h"

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

enum class Step : std::uint8_t { start, limits, account };

/// Why a program was not started.
struct Complaint {
    int error = 0;
    Step step = Step::start;
};

/// Everything the child needs, made before there is one: until it becomes its program it lives in our memory while we
/// stand still, and may not allocate.
struct Plan {
    std::vector<std::string> settings;
    std::vector<char*> argv;
    std::vector<char*> environment;
    std::vector<std::string> programs;  ///< To be tried in this order.
    pid_t parent;
    Limits limits;
    std::optional<Account> account;
    const char* folder;
    int input;
    int out;
    int err;
    Complaint complaint;  ///< The child's.
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

constexpr int kNotStarted = 127;

int complain(Plan& plan, int error, Step step = Step::start) {
    plan.complaint = {error, step};
    return kNotStarted;
}

/// For good: the system keeps no way back. The library's own calls would do it to all threads that it knows of.
bool become(const Account& account) {
    return ::syscall(SYS_setgroups, account.groups.size(), account.groups.data()) == 0 &&
           ::syscall(SYS_setresgid, account.gid, account.gid, account.gid) == 0 &&
           ::syscall(SYS_setresuid, account.uid, account.uid, account.uid) == 0;
}

/// In the child. Returns only where there is no program to become.
int become(Plan& plan) {
    ::setpgid(0, 0);
    if (!apply(plan.limits)) return complain(plan, errno, Step::limits);
    if (plan.account) {
        if (!become(*plan.account)) return complain(plan, errno, Step::account);
        ::umask(022);  // what the service keeps from others is no concern of theirs
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);                  // to become somebody else forgets it
    if (::getppid() != plan.parent) return kNotStarted;  // it died before that could count
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    if (::dup2(plan.input, 0) < 0 || ::dup2(plan.out, 1) < 0 || ::dup2(plan.err, 2) < 0) return complain(plan, errno);
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);  // what others may have left open
    if (::chdir(plan.folder) != 0) return complain(plan, errno);
    int error = ENOENT;
    for (const std::string& program : plan.programs) {
        ::execve(program.c_str(), plan.argv.data(), plan.environment.data());
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
    return complain(plan, error);
}

/// A child that shares our memory until it becomes its program: to copy ours first would cost more than all the rest.
pid_t start(Plan& plan) {
    constexpr std::size_t kStack = std::size_t{64} * 1024;
    const auto stack = std::make_unique_for_overwrite<std::byte[]>(kStack);
    return ::clone([](void* of_plan) { return become(*static_cast<Plan*>(of_plan)); }, stack.get() + kStack,
                   CLONE_VM | CLONE_VFORK | SIGCHLD, &plan);
}

/// Whom the command is to run as, where it says so.
Result<std::optional<Account>> account_for(const Command& command) {
    if (command.account.empty()) return std::nullopt;
    auto account = find_account(command.account);
    if (!account) return tl::unexpected(account.error());
    if (account->uid == 0 && !command.may_be_root)
        return fail(Fault::failed, fmt::format("'{}' is not run as root: nobody named it", command.argv.front()));
    return account;
}

/// What the command names, and of its account what programs expect.
std::vector<std::string> settings_of(const Command& command, const std::optional<Account>& account) {
    std::vector<std::string> settings;
    const auto says = [&](std::string_view name) {
        return std::any_of(command.environment.begin(), command.environment.end(),
                           [&](const auto& setting) { return setting.first == name; });
    };
    if (account)
        for (const auto& [key, value] : {std::pair{"HOME", &account->home}, std::pair{"USER", &account->name},
                                         std::pair{"LOGNAME", &account->name}})
            if (!says(key)) settings.push_back(fmt::format("{}={}", key, *value));
    for (const auto& [key, value] : command.environment) settings.push_back(fmt::format("{}={}", key, value));
    return settings;
}

tl::unexpected<Error> not_started(const Command& command, const Complaint& complaint) {
    const char* why = ::strerrordesc_np(complaint.error);
    const std::string& program = command.argv.front();
    switch (complaint.step) {
        case Step::limits:
            return fail(Fault::failed,
                        fmt::format("'{}' cannot be started: its limits cannot be set: {}", program, why),
                        "ask for no more than the service has itself");
        case Step::account:
            return fail(Fault::failed, fmt::format("'{}' cannot be started as {}: {}", program, command.account, why),
                        "the service must run as root for that");
        case Step::start: break;
    }
    return fail(Fault::failed, fmt::format("'{}' cannot be started: {}", program, why),
                "check the program's name and the working directory");
}

}  // namespace

Result<pid_t> spawn(const Command& command, const Streams& streams) {
    SY_CHECK(!command.argv.empty(), "a command without a program");
    auto account = account_for(command);
    if (!account) return tl::unexpected(account.error());
    Plan plan;
    plan.settings = settings_of(command, *account);
    plan.account = std::move(*account);
    plan.limits = command.limits;
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

    const pid_t pid = start(plan);
    if (pid < 0) plan.complaint.error = errno;
    if (plan.complaint.error == 0) return pid;
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return not_started(command, plan.complaint);
}

}  // namespace sy::process
