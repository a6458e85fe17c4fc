// Log tail: what SQLite's write-ahead log holds beyond its last whole commit, found before SQLite reads it (R12).
//
// SQLite takes the log up to the last commit whose checksums are good and passes over the rest without a word. After a
// power cut that is right: what follows is a commit that did not come to its end, and nobody was answered. It is wrong
// where a commit in the middle has rotted: those behind it were answered. Every commit is synced before the next one is
// written, so a frame that follows a commit says that this commit was whole once.
//
// What cannot be told apart from a torn commit: damage to the very last one. And where the power goes, a block may end
// within a frame's header and leave half of an older one: such a torn commit looks like a damaged one, and is refused.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sy::store {

/// How many bytes of the log's end belong to a commit that was never finished; 0 also where there is no log. An error
/// where a finished one cannot be read.
Result<std::uint64_t> unfinished_bytes(const std::string& log);

}  // namespace sy::store
