// Terminal: a screen of our own for a while. The terminal is as it was when this is gone.
#pragma once

#include <cstddef>
#include <string>

#include <termios.h>

namespace sy::cli {

struct ScreenSize {
    std::size_t rows = 24;
    std::size_t columns = 80;
};

class Terminal {
public:
    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    static bool is_there();
    ScreenSize size() const;
    /// Lines as they are, cut where the screen ends.
    void show(const std::string& text);
    /// Whether q or Ctrl-C was pressed, or a signal asks to end.
    bool is_to_leave();

private:
    termios before_{};
};

/// What cannot harm a terminal: control characters become '?'. At most so many characters.
std::string printable(const std::string& text, std::size_t most);

}  // namespace sy::cli
