// Csv: a table in one file, row by row (RFC 4180).
//
// Commas between cells; quotes around a cell that holds commas, quotes (doubled) or line breaks; LF or CRLF; a byte
// order mark and blank lines are passed over. Nothing is copied and nothing interpreted: cells are views of the text,
// which must outlive the reader. What is no CSV is refused with its place (a Refused, see reading.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input/document.h"

namespace sy::input {

struct Cell {
    std::string_view raw;  ///< Without its quotes; spaces and tabs around a plain one are gone.
    std::size_t at = 0;    ///< Where it begins in the text.
    bool doubled = false;  ///< Holds doubled quotes: ask text().

    std::string text() const;
};

class Csv {
public:
    /// Cells of a row beyond this many are counted, not kept.
    static constexpr std::size_t kMostCells = 1000;

    explicit Csv(std::string_view text);

    /// Goes to the next row that is not blank; false at the end.
    bool next();

    /// Of the current row.
    const std::vector<Cell>& cells() const { return cells_; }
    std::size_t count() const { return count_; }
    std::size_t row_at() const { return row_at_; }

    /// Line and column of a place in the text: slow, for errors.
    Mark mark(std::size_t at) const;

private:
    void keep(const Cell& cell) {
        if (++count_ <= kMostCells) cells_.push_back(cell);
    }
    void read_plain();
    void read_quoted();
    void end_row();

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t row_at_ = 0;
    std::size_t count_ = 0;
    bool row_ended_ = false;
    std::vector<Cell> cells_;
};

}  // namespace sy::input
