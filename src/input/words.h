// Words: a command line as people write it, cut into a program and its arguments, with quotes as a shell has them and
// nothing else of a shell: no variables, no wildcards, no pipes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sy::input {

/// Blanks and ends of lines part words; 'all of this' and "this with \" in it" are one; \ takes the next character as
/// it is, and joins lines. A line that begins with # is none.
Result<std::vector<std::string>> split_words(std::string_view text);

/// Without the lines that begin with #.
std::string without_comments(std::string_view text);

}  // namespace sy::input
