// The binary as a user meets it: a folder of its own, a command line, what came of it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sy::cli {
namespace fs = std::filesystem;

struct Outcome {
    int exit = -1;
    std::string out;
    std::string err;
};

inline std::string contents(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class Cli : public testing::Test {
protected:
    Cli() : folder_(fs::path(testing::TempDir()) / ("switchyard_cli_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Cli() override { fs::remove_all(folder_); }

    std::string file(const std::string& name, const std::string& text) const {
        const fs::path path = folder_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }

    const fs::path& folder() const { return folder_; }

    /// What a command wrote.
    std::string made(const std::string& name) const { return contents(folder_ / name); }

    /// `arguments` as one would type them.
    Outcome run(const std::string& arguments) const {
        const std::string command = "cd '" + folder_.string() + "' && '" SWITCHYARD_BINARY "' " + arguments + " >'" +
                                    (folder_ / "out").string() + "' 2>'" + (folder_ / "err").string() + "'";
        const int status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
        return {WEXITSTATUS(status), contents(folder_ / "out"), contents(folder_ / "err")};
    }

    Outcome drill_in(const std::string& weather) const {
        file("storm.yaml", weather);
        return run("drill --runs 1 --weather storm.yaml");
    }

private:
    fs::path folder_;
};

}  // namespace sy::cli
