// JSON lines: one JSON document a line, as most tools for models write them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "input/document.h"

namespace sy::input {

/// A list of them; empty lines are passed over. Each stands in the line it has in the text.
Result<Node> parse_json_lines(std::string_view text, const std::string& name);

/// Puts in place of `foreach: FILE` of each request of a batch its `items`, one for each line of the file. A path that
/// does not begin with / is looked for from that folder.
Result<void> fill_foreach(Document& batch, const std::string& folder);

/// A batch file, with what its requests are read from.
Result<Document> read_batch_document(const std::string& path);

}  // namespace sy::input
