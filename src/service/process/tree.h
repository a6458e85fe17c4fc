// Tree: a command and everything it starts, under our eyes until all of it is gone (R16).
//
// The process that uses this becomes the parent of all that the command leaves behind, whatever sessions and double
// forks it tries, and must have no other children but those it names: then "no child is left" means "all of it is
// gone". So one tree a process, which is what a worker has. When the command itself ends, what it left behind is
// killed.
#pragma once

#include <csignal>
#include <optional>
#include <set>

#include <sys/types.h>

#include "base/result.h"
#include "service/process/command.h"

namespace sy::process {

class Tree {
public:
    /// An error where the program cannot be started at all.
    static Result<Tree> start(const Command& command);
    Tree(Tree&& other) noexcept;
    Tree& operator=(Tree&& other) noexcept;
    /// Kills what is left and waits for it.
    ~Tree();

    /// Children of ours that are none of this tree's. The set may change; it must outlive the tree.
    void live_beside(const std::set<pid_t>& others) { others_ = &others; }

    pid_t pid() const { return pid_; }
    /// Readable when the command itself has ended.
    int ended_fd() const { return pidfd_; }
    /// Where its output and its errors can be read; they do not block.
    int out_fd() const { return out_; }
    int err_fd() const { return err_; }

    /// To the command's process group.
    void signal(int number) const;
    /// SIGTERM to the command's process group.
    void ask_to_end() const { signal(SIGTERM); }
    /// SIGKILL to all of it.
    void kill() const;
    /// How the command ended, once nothing of it is left. To be asked when something may have changed; it does not
    /// wait.
    std::optional<Ending> reap();

private:
    Tree() = default;
    void close_all();
    bool is_other(pid_t child) const;
    bool collect();

    pid_t pid_ = -1;
    int pidfd_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::optional<Ending> ending_;
    const std::set<pid_t>* others_ = nullptr;
};

}  // namespace sy::process
