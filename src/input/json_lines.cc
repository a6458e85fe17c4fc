#include "input/json_lines.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sy::input {

namespace {

using Json = nlohmann::ordered_json;

Node scalar(const Mark& mark, std::string text, bool quoted) {
    return {Kind::scalar, mark, std::move(text), {}, {}, quoted};
}

Node node_of(const Json& json, const Mark& mark) {
    switch (json.type()) {
        case Json::value_t::object: {
            Node map{Kind::map, mark, {}, {}, {}, false};
            for (const auto& [key, value] : json.items()) {
                map.keys.push_back(scalar(mark, key, true));
                map.items.push_back(node_of(value, mark));
            }
            return map;
        }
        case Json::value_t::array: {
            Node list{Kind::list, mark, {}, {}, {}, false};
            for (const Json& item : json) list.items.push_back(node_of(item, mark));
            return list;
        }
        case Json::value_t::string: return scalar(mark, json.get<std::string>(), true);
        case Json::value_t::null: return {Kind::nothing, mark, {}, {}, {}, false};
        default: return scalar(mark, json.dump(), false);
    }
}

/// yaml-like depth limit: what is nested deeper could not be walked.
bool is_too_deep(std::string_view line) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    for (const char c : line) {
        if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
        if ((c == ']' || c == '}') && depth > 0) --depth;
    }
    return deepest > 4 * kDeepestNesting;  // braces within strings count as well
}

Result<Node> parse_line(std::string_view line, const Mark& mark, const std::string& name) {
    if (is_too_deep(line)) return invalid_at(name, mark, "this line is nested too deep", "flatten it");
    try {
        return node_of(Json::parse(line), mark);
    } catch (const Json::parse_error& error) {
        return invalid_at(name, {mark.line, std::max<std::size_t>(error.byte, 1)}, "this line is not JSON",
                          "write one JSON document in each line");
    }
}

Result<Node> read_items(const std::string& path) {
    auto text = read_text(path);
    if (!text) return tl::unexpected(text.error());
    return parse_json_lines(*text, name_of_file(path));
}

}  // namespace

Result<Node> parse_json_lines(std::string_view text, const std::string& name) {
    Node list{Kind::list, {}, {}, {}, {}, false};
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::string_view row = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(row.size() + 1, text.size()));
        if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        auto item = parse_line(row, {line, 1}, name);
        if (!item) return tl::unexpected(item.error());
        if (item->kind != Kind::map)
            return invalid_at(name, {line, 1}, "this line is no map", "write {\"field\": value, …} in each line");
        list.items.push_back(std::move(*item));
    }
    return list;
}

Result<void> fill_foreach(Document& batch, const std::string& folder) {
    const auto requests = std::find_if(batch.root.keys.begin(), batch.root.keys.end(),
                                       [](const Node& key) { return key.text == "requests"; });
    if (requests == batch.root.keys.end()) return {};
    for (Node& request : batch.root.items[static_cast<std::size_t>(requests - batch.root.keys.begin())].items)
        for (std::size_t i = 0; i < request.keys.size(); ++i) {
            if (request.keys[i].text != "foreach") continue;
            const Node& file = request.items[i];
            if (file.kind != Kind::scalar)
                return invalid_at(batch.name, file.mark, "foreach must be the path of a file", "one JSON map a line");
            auto items = read_items(file.text.starts_with('/') ? file.text : folder + "/" + file.text);
            if (!items) return tl::unexpected(items.error());
            items->mark = file.mark;
            request.keys[i].text = "items";
            request.items[i] = std::move(*items);
        }
    return {};
}

Result<Document> read_batch_document(const std::string& path) {
    auto document = read_document(path);
    if (!document) return document;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (const auto filled = fill_foreach(*document, folder.empty() ? "." : folder); !filled)
        return tl::unexpected(filled.error());
    return document;
}

}  // namespace sy::input
