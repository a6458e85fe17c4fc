#include "input/csv.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "input/reading.h"

namespace sy::input {
namespace {

/// Cells in brackets, a line for each row; or where and why the table was refused.
std::string read(std::string_view text) {
    std::string out;
    try {
        Csv csv(text);
        while (csv.next()) {
            for (const Cell& cell : csv.cells()) out += "[" + cell.text() + "]";
            out += "\n";
        }
    } catch (const Refused& refused) {
        return fmt::format("{}:{}: {}", refused.mark.line, refused.mark.column, refused.message);
    }
    return out;
}

TEST(Csv, SplitsRowsAndCells) {
    EXPECT_EQ(read("a,b\n1,2\n"), "[a][b]\n[1][2]\n");
    EXPECT_EQ(read("a,b\r\n1,2"), "[a][b]\n[1][2]\n");
    EXPECT_EQ(read("a,,\n,\n"), "[a][][]\n[][]\n");
    EXPECT_EQ(read("\xef\xbb\xbf"
                   "a\n"),
              "[a]\n");
    EXPECT_EQ(read(""), "");
}

TEST(Csv, PassesOverBlankLines) {
    EXPECT_EQ(read("\n\r\na\n\n\r\nb\n\n"), "[a]\n[b]\n");
}

TEST(Csv, SpacesAroundPlainCellsGoAndQuotedOnesStay) {
    EXPECT_EQ(read(" a , b\t,\" c \"\n"), "[a][b][ c ]\n");
    EXPECT_EQ(read("a b,  \n"), "[a b][]\n");
}

TEST(Csv, QuotesHoldCommasQuotesAndLines) {
    EXPECT_EQ(read("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n\"\",\"\"\"\"\n"),
              "[a,b][say \"x\"][two\nlines]\n[][\"]\n");
}

TEST(Csv, RefusesWhatIsNoTable) {
    EXPECT_EQ(read("a\nb,\"c\nd,e\n"), "2:3: a quote is opened here and never closed");
    EXPECT_EQ(read("\"a\"b\n"), "1:4: text follows the closing quote of a cell");
    EXPECT_EQ(read("\"a\" ,b\n"), "1:4: text follows the closing quote of a cell");
    EXPECT_EQ(read("a\nx,y\"z\"\n"), "2:4: a quote stands inside a cell that does not begin with one");
    EXPECT_EQ(read("a\rb\n"), "1:2: a carriage return stands without a line feed");
    EXPECT_EQ(read("a\r"), "1:2: a carriage return stands without a line feed");
    EXPECT_EQ(read(std::string_view("a\nb\0c\n", 6)), "2:2: byte 0x00 does not belong in a text file");
}

TEST(Csv, ColumnsOfErrorsCountCharactersAndLinesCountThoseInQuotes) {
    EXPECT_EQ(read("größe,ü\"\n"), "1:8: a quote stands inside a cell that does not begin with one");
    EXPECT_EQ(read("\xef\xbb\xbf"
                   "a\"\n"),
              "1:2: a quote stands inside a cell that does not begin with one");
    EXPECT_EQ(read("\"1\n2\n3\"\nx\"\n"), "4:2: a quote stands inside a cell that does not begin with one");
}

TEST(Csv, CountsCellsItDoesNotKeep) {
    const std::string commas = std::string(999'999, ',').append("\n");
    Csv csv(commas);
    ASSERT_TRUE(csv.next());
    EXPECT_EQ(csv.count(), 1'000'000U);
    EXPECT_EQ(csv.cells().size(), Csv::kMostCells);
    EXPECT_FALSE(csv.next());
}

/// The grammar, a letter at a time, without places: the twin of the reader.
std::string naive(const std::string& text) {
    std::string out;
    std::string cell;
    bool quoted = false, was_quoted = false, in_row = false;
    const auto end_cell = [&] {
        if (!was_quoted) {
            cell.erase(
                0, cell.find_first_not_of(" \t") == std::string::npos ? cell.size() : cell.find_first_not_of(" \t"));
            cell.erase(cell.find_last_not_of(" \t") + 1);
        }
        out += "[" + cell + "]";
        cell.clear();
        was_quoted = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c != '"')
                cell += c;
            else if (i + 1 < text.size() && text[i + 1] == '"')
                cell += text[++i];
            else
                quoted = false;
        } else if (c == '"') {
            if (!cell.empty() || was_quoted) return "refused";
            quoted = was_quoted = in_row = true;
        } else if (c == ',') {
            end_cell();
            in_row = true;
        } else if (c == '\n' || (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n')) {
            if (c == '\r') ++i;
            if (in_row) end_cell(), out += "\n";
            in_row = false;
        } else {
            if (c == '\r' || was_quoted) return "refused";
            cell += c;
            in_row = true;
        }
    }
    if (quoted) return "refused";
    if (in_row) end_cell(), out += "\n";
    return out;
}

TEST(Csv, ReadsAsTheGrammarDoesLetterByLetter) {
    const std::uint64_t seed = 11;
    Random random(seed);
    constexpr std::string_view kLetters = "ab,,\n\"\"\" \r";
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (std::uint64_t left = random.below(14); left > 0; --left) text += kLetters[random.below(kLetters.size())];
        const std::string got = read(text);
        const bool refused = got.starts_with("1:") || got.starts_with("2:") || (!got.empty() && got[0] != '[');
        EXPECT_EQ(refused ? "refused" : got, naive(text)) << "seed " << seed << ", text " << i << ": " << text;
    }
}

}  // namespace
}  // namespace sy::input
