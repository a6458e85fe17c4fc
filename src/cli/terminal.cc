#include "cli/terminal.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sy::cli {

namespace {

constexpr const char* kOwnScreen = "\033[?1049h\033[?25l";
constexpr const char* kOldScreen = "\033[?25h\033[?1049l";
constexpr char kCtrlC = '\003';

sigset_t ending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
    return signals;
}

bool continues_character(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

}  // namespace

bool Terminal::is_there() {
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

Terminal::Terminal() {
    const sigset_t signals = ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    ::tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    put(kOwnScreen);
}

Terminal::~Terminal() {
    put(kOldScreen);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

ScreenSize Terminal::size() const {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) return {};
    return {window.ws_row, window.ws_col};
}

void Terminal::show(const std::string& text) {
    const std::size_t rows = size().rows;
    std::string page = "\033[H";
    std::size_t at = 0;
    for (std::size_t row = 0; row < rows && at < text.size(); ++row) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        page += (row == 0 ? "" : "\r\n") + text.substr(at, end - at) + "\033[K";
        at = end + 1;
    }
    put(page + "\033[J");
}

bool Terminal::is_to_leave() {
    const sigset_t signals = ending_signals();
    const timespec at_once{};
    if (::sigtimedwait(&signals, nullptr, &at_once) > 0) return true;
    pollfd keys{STDIN_FILENO, POLLIN, 0};
    while (::poll(&keys, 1, 0) > 0) {
        char key = 0;
        if (::read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == kCtrlC) return true;
    }
    return false;
}

std::string printable(const std::string& text, std::size_t most) {
    std::string plain;
    std::size_t characters = 0;
    for (const char c : text) {
        if (!continues_character(c) && ++characters > most) break;
        const bool harmless = static_cast<unsigned char>(c) >= 0x20U && c != '\177';
        plain += harmless ? c : '?';
    }
    return plain;
}

}  // namespace sy::cli
