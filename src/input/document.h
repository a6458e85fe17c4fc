// Document: what a user wrote, as a tree that remembers where each thing stands.
//
// YAML and JSON alike (JSON gives the tree it would give as YAML, of which it is a part). Nothing is interpreted here:
// a scalar is its text. Reading a meaning out of it, with limits and good errors, is the business of fields.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sy::input {

/// Counted from 1, as editors do.
struct Mark {
    std::size_t line = 1;
    std::size_t column = 1;
};

enum class Kind { nothing, scalar, list, map };

struct Node {
    Kind kind = Kind::nothing;
    Mark mark;
    std::string text;         ///< Of a scalar.
    std::vector<Node> items;  ///< Of a list, or the values of a map.
    std::vector<Node> keys;   ///< Of a map, in the order written; always scalars.
    bool quoted = false;      ///< Of a scalar: it is text, whatever it looks like.
};

struct Document {
    std::string name;  ///< What errors call it: the file's name, or "standard input".
    Node root;
};

/// Limits of every document we read.
inline constexpr std::size_t kLargestDocument = std::size_t{1} << 30;
inline constexpr std::size_t kDeepestNesting = 64;
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  ///< Of UTF-8; may open a file.

Result<Document> parse_document(std::string_view text, const std::string& name);

/// All of the file, or of standard input where the path is "-".
Result<std::string> read_text(const std::string& path);
/// What errors call it.
std::string name_of_file(const std::string& path);

/// Reads the file, or standard input where the path is "-", and parses it.
Result<Document> read_document(const std::string& path);

/// "storm.yaml:3:7: " and then the message.
tl::unexpected<Error> invalid_at(const std::string& name, const Mark& mark, const std::string& message,
                                 std::string fix);

}  // namespace sy::input
