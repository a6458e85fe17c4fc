#include "tree/layers.h"

#include <fstream>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

namespace sy::tree {

namespace {

namespace fs = std::filesystem;

/// What each part may include besides itself: other parts, or one file of them. The arrows of ARCHITECTURE.md, and the
/// only place they are written down for a machine.
const std::map<std::string, std::set<std::string>>& arrows() {
    static const std::set<std::string> kMiddle{"base", "core/model", "core/estimate", "core/cluster", "core/measure"};
    static const std::set<std::string> kCore{"base",          "core/model",    "core/estimate", "core/cluster",
                                             "core/measure",  "core/queue",    "core/place",    "core/allocate",
                                             "core/plan",     "core/pipeline", "core/balance",  "core/optimum",
                                             "core/schedule", "core/execute",  "core/control",  "core/agent"};
    static const auto with = [](std::set<std::string> parts, std::initializer_list<std::string> more) {
        parts.insert(more);
        return parts;
    };
    static const std::map<std::string, std::set<std::string>> kArrows{
        {"base", {}},
        {"core/model", {"base"}},
        {"core/estimate", {"base", "core/model"}},
        {"core/cluster", {"base", "core/model"}},
        {"core/measure", {"base", "core/model"}},
        {"core/queue", kMiddle},
        {"core/place", kMiddle},
        {"core/allocate", kMiddle},
        {"core/plan", kMiddle},
        {"core/pipeline", kMiddle},
        {"core/balance", kMiddle},
        {"core/optimum", kMiddle},
        {"core/schedule", with(kMiddle, {"core/queue", "core/place"})},
        {"core/agent", {"base", "core/model"}},
        {"core/execute", with(kMiddle, {"core/plan"})},
        {"core/control", with(kCore, {})},
        {"solver", {"base", "core/model", "core/optimum"}},
        {"learned", {"base", "core/model", "core/estimate"}},
        {"input", kCore},
        {"output", kCore},
        {"sim", with(kCore, {"input"})},
        // "What if" is asked of the live service as well: one door to the simulator, one to how its answers are
        // written.
        {"service", with(kCore, {"input", "sim/study.h", "output/study_json.h"})},
        {"cli", with(kCore, {"input", "output", "sim", "service", "solver", "learned"})},
    };
    return kArrows;
}

/// "core/queue" of "core/queue/order.h", "sim" of "sim/agenda.h".
std::string part_of(const std::string& path) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) return "";
    const std::string top = path.substr(0, slash);
    if (top != "core") return top;
    const std::size_t second = path.find('/', slash + 1);
    return second == std::string::npos ? top : path.substr(0, second);
}

std::optional<std::string> included(const std::string& line) {
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) return std::nullopt;
    return line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
}

bool is_source(const fs::path& path) {
    return path.extension() == ".h" || path.extension() == ".cc";
}

std::vector<fs::path> sources_below(const fs::path& root) {
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.is_regular_file() && is_source(entry.path())) files.insert(entry.path());
    return {files.begin(), files.end()};
}

std::vector<std::string> lines_of(const fs::path& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Words that have no business in the pure part: the world, chance and time that nobody passed in, surprises.
const std::vector<std::string>& impure_words() {
    static const std::vector<std::string> kWords{"#include <chrono>",
                                                 "#include <random>",
                                                 "#include <thread>",
                                                 "#include <mutex>",
                                                 "#include <iostream>",
                                                 "#include <fstream>",
                                                 "#include <filesystem>",
                                                 "#include <cstdio>",
                                                 "std::unordered_",
                                                 "::now()",
                                                 "rand(",
                                                 "throw ",
                                                 "getenv",
                                                 "static std::"};
    return kWords;
}

const std::vector<std::string>& unwanted_name_parts() {
    static const std::vector<std::string> kParts{"manager", "helper", "util", "context", "misc", "common", "impl"};
    return kParts;
}

constexpr std::size_t kLongestFile = 500;
constexpr std::size_t kWidestLine = 120;

void check_file(const fs::path& root, const fs::path& path, std::vector<std::string>& breaches) {
    const std::string name = fs::relative(path, root).generic_string();
    const auto lines = lines_of(path);
    const auto breach = [&](std::size_t line, const std::string& what) {
        breaches.push_back(fmt::format("{}:{}: {}", name, line, what));
    };
    if (lines.size() > kLongestFile) breach(lines.size(), fmt::format("over {} lines: split it by idea", kLongestFile));
    if (path.extension() == ".h") {
        if (lines.empty() || !lines.front().starts_with("// ")) breach(1, "a header opens with what it is");
        bool guarded = false;
        for (const std::string& line : lines) guarded = guarded || line == "#pragma once";
        if (!guarded) breach(1, "a header has #pragma once");
    }
    for (const std::string& part : unwanted_name_parts())
        if (path.stem().string().find(part) != std::string::npos) breach(1, "a name that says nothing: " + part);
    const bool is_test = path.stem().string().ends_with("_test");
    const bool is_pure = name.starts_with("src/core/") && !is_test;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].size() > kWidestLine + 40) breach(i + 1, "a line far too wide");
        if (!is_pure) continue;
        for (const std::string& word : impure_words())
            if (lines[i].find(word) != std::string::npos) breach(i + 1, "core is pure, this is not: " + word);
    }
}

}  // namespace

std::vector<std::string> find_upward_includes(const fs::path& source_root) {
    std::vector<std::string> found;
    for (const fs::path& path : sources_below(source_root)) {
        const std::string name = fs::relative(path, source_root).generic_string();
        const std::string from = part_of(name);
        const auto allowed = arrows().find(from);
        if (allowed == arrows().end()) {
            found.push_back(fmt::format("{}: the folder '{}' is in no arrow", name, from));
            continue;
        }
        const auto lines = lines_of(path);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const auto target = included(lines[i]);
            if (!target) continue;
            const std::string to = part_of(*target);
            if (to != from && !allowed->second.contains(to) && !allowed->second.contains(*target))
                found.push_back(fmt::format("{}:{}: {} may not include {}", name, i + 1, from, *target));
        }
    }
    return found;
}

std::vector<std::string> find_rule_breaches(const fs::path& project_root) {
    std::vector<std::string> breaches;
    for (const char* folder : {"src", "tests", "bench"})
        if (fs::exists(project_root / folder))
            for (const fs::path& path : sources_below(project_root / folder)) check_file(project_root, path, breaches);
    return breaches;
}

}  // namespace sy::tree
