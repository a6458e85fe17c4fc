// Spawn: fork and exec, with nothing inherited that was not named, and with the reason where it does not work.
#pragma once

#include <string>

#include <sys/types.h>

#include "base/result.h"
#include "service/process/command.h"

namespace sy::process {

/// Both ends, closed in programs that are started.
struct Pipe {
    int read = -1;
    int write = -1;

    static Pipe make();
};

/// A file in memory that holds the text, to be read from its beginning.
int text_fd(const std::string& text);

/// What becomes a program's standard input, output and errors.
struct Streams {
    int in = -1;
    int out = -1;
    int err = -1;
};

/// Leader of a process group of its own, killed when the caller dies, and never with more rights than at its start. The
/// command's own `input` plays no part here.
Result<pid_t> spawn(const Command& command, const Streams& streams);

}  // namespace sy::process
