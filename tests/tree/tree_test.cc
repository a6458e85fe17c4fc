#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tree/layers.h"

namespace sy::tree {
namespace {

namespace fs = std::filesystem;

/// A small tree of its own, gone when the test is.
class PlantedTree {
public:
    PlantedTree() : root_(fs::path(testing::TempDir()) / ("planted_" + std::to_string(::getpid()))) {
        fs::create_directories(root_);
    }
    PlantedTree(const PlantedTree&) = delete;
    PlantedTree& operator=(const PlantedTree&) = delete;
    ~PlantedTree() { fs::remove_all(root_); }

    PlantedTree& with(const std::string& path, const std::string& text) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << text;
        return *this;
    }
    const fs::path& root() const { return root_; }

private:
    fs::path root_;
};

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
}

TEST(Layering, NoIncludeRunsUpward) {
    EXPECT_EQ(joined(find_upward_includes(SWITCHYARD_SOURCE_DIR "/src")), "");
}

TEST(Layering, APlantedUpwardIncludeIsFound) {
    PlantedTree tree;
    tree.with("core/queue/order.h", "#include \"core/place/first_fit.h\"\n")
        .with("base/ids.h", "#include \"sim/drill.h\"\n");
    const std::string found = joined(find_upward_includes(tree.root()));
    EXPECT_NE(found.find("core/queue/order.h:1: core/queue may not include core/place/first_fit.h"), std::string::npos);
    EXPECT_NE(found.find("base/ids.h:1: base may not include sim/drill.h"), std::string::npos);
}

TEST(Layering, AFolderNobodyPlannedIsFound) {
    PlantedTree tree;
    tree.with("helpers/x.h", "\n");
    EXPECT_EQ(joined(find_upward_includes(tree.root())), "helpers/x.h: the folder 'helpers' is in no arrow\n");
}

TEST(HouseRules, AreKept) {
    EXPECT_EQ(joined(find_rule_breaches(SWITCHYARD_SOURCE_DIR)), "");
}

TEST(HouseRules, BreachesAreFound) {
    PlantedTree tree;
    tree.with("src/core/queue/clock.cc", "auto t = steady_clock::now();\n")
        .with("src/core/queue/task_util.h", "int x;\n")
        .with("src/sim/long.cc", std::string(501, '\n'));
    const std::string found = joined(find_rule_breaches(tree.root()));
    EXPECT_NE(found.find("clock.cc:1: core is pure, this is not: ::now()"), std::string::npos);
    EXPECT_NE(found.find("task_util.h:1: a header opens with what it is"), std::string::npos);
    EXPECT_NE(found.find("task_util.h:1: a name that says nothing: util"), std::string::npos);
    EXPECT_NE(found.find("long.cc:501: over 500 lines"), std::string::npos);
}

/// Names in backticks that end in this, from a document.
std::set<std::string> names_in(const fs::path& document, const std::string& ending) {
    std::ifstream file(document);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::set<std::string> names;
    for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', open + 1)) {
        const std::size_t close = std::min(text.find('`', open + 1), text.size());
        const std::string name = text.substr(open + 1, close - open - 1);
        if (name.ends_with(ending)) names.insert(fs::path(name).filename().string());
        open = close;
    }
    return names;
}

TEST(Coverage, NamesOnlyFilesThatExist) {
    std::set<std::string> present;
    for (const char* folder : {"/src", "/tests"})
        for (const auto& entry : fs::recursive_directory_iterator(std::string(SWITCHYARD_SOURCE_DIR) + folder))
            present.insert(entry.path().filename().string());
    for (const char* ending : {".scenario", ".cc", ".h"})
        for (const std::string& name : names_in(SWITCHYARD_SOURCE_DIR "/docs/coverage.md", ending))
            EXPECT_TRUE(present.contains(name)) << "docs/coverage.md names " << name;
}

TEST(HouseRules, EveryPartOfTheCoreHasATest) {
    for (const auto& entry : fs::directory_iterator(SWITCHYARD_SOURCE_DIR "/src/core")) {
        const std::string part = entry.path().filename().string();
        if (part == "measure" || part == "model") continue;  // nouns and counters: tested by everything else
        bool tested = false;
        for (const auto& file : fs::directory_iterator(entry.path()))
            tested = tested || file.path().stem().string().ends_with("_test");
        EXPECT_TRUE(tested) << part << " has no *_test.cc";
    }
}

}  // namespace
}  // namespace sy::tree
