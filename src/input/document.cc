#include "input/document.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include <fmt/core.h>

#include "input/json_tree.h"
#include "input/yaml.h"

namespace sy::input {

namespace {

/// Control characters and broken UTF-8 mean that this is no text at all; say so before a parser guesses at it.
struct BadByte {
    Mark mark;
    unsigned char byte = 0;
};

/// Length of the UTF-8 sequence at the start of `rest`; 0 where there is none. Over-long spellings, halves of surrogate
/// pairs and what lies beyond the last character are none: they differ from good ones in the second byte.
std::size_t utf8_length(std::string_view rest) {
    const auto byte = [rest](std::size_t i) { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U; };
    const auto in = [](unsigned value, unsigned low, unsigned high) { return low <= value && value <= high; };
    const auto follows = [&](std::size_t i) { return in(byte(i), 0x80, 0xbf); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (in(first, 0xc2, 0xdf)) return follows(1) ? 2 : 0;
    if (in(first, 0xe0, 0xef)) {
        const bool second = in(byte(1), first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
        return second && follows(2) ? 3 : 0;
    }
    if (in(first, 0xf0, 0xf4)) {
        const bool second = in(byte(1), first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
        return second && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

bool is_forbidden(unsigned char byte) {
    return byte == 0x7f || (byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r');
}

std::optional<BadByte> find_bad_byte(std::string_view text) {
    Mark mark;
    while (!text.empty()) {
        const auto byte = static_cast<unsigned char>(text.front());
        const std::size_t length = utf8_length(text);
        if (length == 0 || is_forbidden(byte)) return BadByte{mark, byte};
        if (byte == '\n') {
            mark = {mark.line + 1, 1};
        } else {
            ++mark.column;
        }
        text.remove_prefix(length);
    }
    return std::nullopt;
}

}  // namespace

Result<std::string> read_text(const std::string& path) {
    const bool from_stdin = path == "-";
    const auto close = [](std::FILE* f) { return f == stdin ? 0 : std::fclose(f); };
    const std::unique_ptr<std::FILE, decltype(close)> file(from_stdin ? stdin : std::fopen(path.c_str(), "rb"), close);
    if (!file)
        return fail(Fault::invalid_input,
                    fmt::format("{}: cannot be opened: {}", path, std::generic_category().message(errno)),
                    "check the path and its permissions, or write - for standard input");
    std::string text;
    std::string buffer(1 << 16, '\0');
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        text.append(buffer, 0, got);
        if (text.size() > kLargestDocument)
            return fail(Fault::invalid_input,
                        fmt::format("{}: larger than {} bytes, the limit", path, kLargestDocument),
                        "split it into smaller files");
    }
    if (std::ferror(file.get()) != 0)
        return fail(Fault::invalid_input,
                    fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)), "name a file");
    return text;
}

std::string name_of_file(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

Result<Document> parse_document(std::string_view text, const std::string& name) {
    if (const auto bad = find_bad_byte(text))
        return invalid_at(name, bad->mark, fmt::format("byte 0x{:02x} does not belong in a text file", bad->byte),
                          "this looks like a binary file; write YAML or JSON in UTF-8");
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (auto plain = parse_plain_json(text)) return Document{name, *std::move(plain)};
    auto root = parse_yaml(text, name);
    if (!root) return tl::unexpected(root.error());
    return Document{name, *std::move(root)};
}

Result<Document> read_document(const std::string& path) {
    const auto text = read_text(path);
    if (!text) return tl::unexpected(text.error());
    return parse_document(*text, name_of_file(path));
}

tl::unexpected<Error> invalid_at(const std::string& name, const Mark& mark, const std::string& message,
                                 std::string fix) {
    return fail(Fault::invalid_input, fmt::format("{}:{}:{}: {}", name, mark.line, mark.column, message),
                std::move(fix));
}

}  // namespace sy::input
