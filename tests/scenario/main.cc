// Plays every scenario and compares the transcript with what the file says. With --rewrite it writes the files anew,
// for a person to review as prose.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "scenario/stage.h"

namespace sy::scenario {

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

/// The same file with the transcript as it is played now.
std::string played(const std::string& text) {
    Stage stage;
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  ")) continue;  // the old transcript
        out += line + "\n";
        if (line.empty() || line.starts_with("#")) continue;
        for (const std::string& said : stage.play(line)) out += "  " + said + "\n";
    }
    return out;
}

void print_first_difference(const std::string& expected, const std::string& actual) {
    std::istringstream old_lines(expected);
    std::istringstream new_lines(actual);
    std::string old_line;
    std::string new_line;
    for (int number = 1;; ++number) {
        const bool has_old = static_cast<bool>(std::getline(old_lines, old_line));
        const bool has_new = static_cast<bool>(std::getline(new_lines, new_line));
        if (!has_old && !has_new) return;
        if (has_old && has_new && old_line == new_line) continue;
        fmt::print("  line {}\n    expected: {}\n    played:   {}\n", number, has_old ? old_line : "(end)",
                   has_new ? new_line : "(end)");
        return;
    }
}

int run(const fs::path& folder, bool rewrite) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".scenario") files.push_back(entry.path());
    std::sort(files.begin(), files.end());

    int failed = 0;
    for (const fs::path& file : files) {
        const std::string expected = read(file);
        const std::string actual = played(expected);
        if (actual == expected) continue;
        if (rewrite) {
            std::ofstream(file) << actual;
            fmt::print("rewritten: {}\n", file.filename().string());
            continue;
        }
        ++failed;
        fmt::print("differs: {}\n", file.filename().string());
        print_first_difference(expected, actual);
    }
    fmt::print("{} passed, {} failed\n", static_cast<int>(files.size()) - failed, failed);
    return failed > 0 || files.empty() ? 1 : 0;
}

}  // namespace

}  // namespace sy::scenario

int main(int count, char** words) {
    const std::vector<std::string> arguments(words + 1, words + count);
    const bool rewrite = std::find(arguments.begin(), arguments.end(), "--rewrite") != arguments.end();
    return sy::scenario::run(SWITCHYARD_SOURCE_DIR "/tests/scenario", rewrite);
}
