#include "service/slurm/program.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/process/spawn.h"

namespace sy::slurm {

namespace {

constexpr std::size_t kMostBytes = 16'000'000;

using Clock = std::chrono::steady_clock;

std::vector<std::pair<std::string, std::string>> own_environment() {
    std::vector<std::pair<std::string, std::string>> settings;
    for (char** setting = environ; setting != nullptr && *setting != nullptr; ++setting) {
        const std::string_view text(*setting);
        if (const std::size_t mark = text.find('='); mark != std::string_view::npos)
            settings.emplace_back(text.substr(0, mark), text.substr(mark + 1));
    }
    return settings;
}

/// Reads both until they end; false where that took too long.
bool read_both(std::array<pollfd, 2>& lines, std::array<std::string, 2>& texts, Clock::time_point end) {
    std::array<char, 65536> buffer;
    while (lines[0].fd >= 0 || lines[1].fd >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        if (::poll(lines.data(), lines.size(), static_cast<int>(std::min<std::int64_t>(left, 1000))) <= 0) continue;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].fd < 0 || lines[i].revents == 0) continue;
            const ssize_t n = ::read(lines[i].fd, buffer.data(), buffer.size());
            if (n <= 0) lines[i].fd = -1;
            if (n > 0 && texts[i].size() < kMostBytes) texts[i].append(buffer.data(), static_cast<std::size_t>(n));
        }
    }
    return true;
}

std::string first_line(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \n");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& words, const std::string& input, Duration patience) {
    const process::Pipe out = process::Pipe::make();
    const process::Pipe err = process::Pipe::make();
    const int in = process::text_fd(input);
    const auto pid = process::spawn({.argv = words, .environment = own_environment(), .folder = "/", .input = {}},
                                    {in, out.write, err.write});
    for (const int fd : {in, out.write, err.write}) ::close(fd);
    std::array<pollfd, 2> lines{{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
    std::array<std::string, 2> texts;
    const bool in_time = pid && read_both(lines, texts, Clock::now() + patience);
    ::close(out.read);
    ::close(err.read);
    if (!pid) return tl::unexpected(pid.error());
    if (!in_time) ::kill(-*pid, SIGKILL);
    int status = 0;
    ::waitpid(*pid, &status, 0);
    if (!in_time)
        return fail(Fault::failed, fmt::format("{} did not answer within {:g} s", words.front(), to_seconds(patience)));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(texts[0]);
    const std::string said = first_line(texts[1]);
    return fail(Fault::failed, fmt::format("{} failed: {}", words.front(), said.empty() ? "it did not say why" : said));
}

}  // namespace sy::slurm
