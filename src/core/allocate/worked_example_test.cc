// The worked example of docs/allocation.md: every row of its tables is computed here and must stand there word for
// word.
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/allocate/testing.h"

namespace sy::allocate {
namespace {

using namespace sy::allocate::testing;

std::string document() {
    std::ifstream file(SWITCHYARD_SOURCE_DIR "/docs/allocation.md");
    return {std::istreambuf_iterator<char>(file), {}};
}

Situation three_teams() {
    return {.capacity = {.gpu = 24},
            .parties = {{.name = "research",
                         .task = {.gpu = 16},
                         .weight = 2,
                         .level = Level::low,
                         .minimum = {.gpu = 4},
                         .maximum = {.gpu = 20},
                         .partition = {.gpu = 12},
                         .holds = {.gpu = 12},
                         .bid = 160},
                        {.name = "serving",
                         .task = {.gpu = 9},
                         .level = Level::critical,
                         .minimum = {.gpu = 4},
                         .maximum = {.gpu = 12},
                         .partition = {.gpu = 8},
                         .holds = {.gpu = 8},
                         .bid = 180},
                        {.name = "students",
                         .task = {.gpu = 6},
                         .minimum = {.gpu = 2},
                         .maximum = {.gpu = 8},
                         .partition = {.gpu = 4},
                         .holds = {.gpu = 6},
                         .bid = 30}}};
}

std::string row(std::string_view policy, const Situation& situation) {
    std::string text = fmt::format("| `{}` |", policy);
    for (const Portion& portion : allot(policy, situation).portions) {
        text += fmt::format(" {}", portion.amounts.gpu);
        if (portion.payment > 0) text += fmt::format(", pays {}", portion.payment);
        if (portion.ceiling != Ceiling::none) text += fmt::format(" ({})", describe(portion.ceiling));
        text += " |";
    }
    return text;
}

TEST(WorkedExample, ThreeTeamsShareTwentyFourGpusAsTheDocumentSays) {
    const std::string text = document();
    for (const char* policy : {"static", "elastic", "priority", "auction", "proportional", "max-min"})
        EXPECT_NE(text.find(row(policy, three_teams()) + "\n"), std::string::npos) << row(policy, three_teams());
}

Situation three_kinds_of_work() {
    return {.capacity = {.gpu = 24, .cpu = 120},
            .parties = {{.name = "train", .task = {.gpu = 2, .cpu = 4}, .tasks = 20},
                        {.name = "infer", .task = {.gpu = 1, .cpu = 8}, .tasks = 20},
                        {.name = "prepare", .task = {.cpu = 6}, .tasks = 20}}};
}

std::string vector_row(std::string_view label, std::string_view policy, const Situation& situation) {
    std::string text = fmt::format("| {} |", label);
    for (const Portion& portion : allot(policy, situation).portions)
        text += fmt::format(" {} GPUs, {} CPUs: {} tasks |", portion.amounts.gpu, portion.amounts.cpu, portion.tasks);
    return text;
}

TEST(WorkedExample, ThreeKindsOfWorkShareGpusAndCpusAsTheDocumentSays) {
    const std::string text = document();
    Situation situation = three_kinds_of_work();
    std::vector<std::string> rows;
    for (const char* policy : {"max-min", "drf", "drf-whole"})
        rows.push_back(vector_row(fmt::format("`{}`", policy), policy, situation));
    situation.groups = {{.name = "lab"}};
    situation.parties[0].group = 0;
    situation.parties[1].group = 0;
    rows.push_back(vector_row("`drf-whole`, the first two in one group", "drf-whole", situation));
    for (const std::string& line : rows) EXPECT_NE(text.find(line + "\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace sy::allocate
