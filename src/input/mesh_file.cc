#include "input/mesh_file.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "core/model/limits.h"
#include "input/mesh_model.h"
#include "input/mesh_parts.h"
#include "input/reading.h"

namespace sy::input {

namespace {

class MeshReader {
public:
    Mesh read(const Node& root) {
        const Map map(root, "the mesh", {"model", "nodes", "links", "default_link", "client_link", "settings"});
        const Node& model = map.require("model");
        mesh_ = read_mesh_ground(map);
        read_nodes(map.require("nodes"), model);
        if (const Node* links = given(map, "links")) read_links(*links);
        return std::move(mesh_);
    }

private:
    void read_nodes(const Node& list, const Node& model) {
        expect(list, Kind::list, "nodes");
        if (list.items.empty()) throw Refused{list.mark, "the mesh has no nodes", "list at least one"};
        const std::uint64_t cells = std::uint64_t{mesh_.model.layers} * list.items.size();
        if (list.items.size() > Limits{}.mesh_nodes || cells > Limits{}.mesh_layers)
            throw Refused{list.mark,
                          fmt::format("the mesh has {} nodes for {} layers, the limits are {} nodes and {} of both "
                                      "multiplied",
                                      list.items.size(), mesh_.model.layers, Limits{}.mesh_nodes, Limits{}.mesh_layers),
                          "leave some out"};
        mesh_.nodes.reserve(list.items.size());
        for (const Node& entry : list.items) add_node(entry, model);
    }

    void add_node(const Node& entry, const Node& model) {
        MeshNode node = read_mesh_node(entry, mesh_.model, model.mark);
        const Node& id = *id_in(entry);
        if (!places_.emplace(id.text, static_cast<std::uint32_t>(mesh_.nodes.size())).second)
            throw Refused{id.mark, fmt::format("two nodes are called {}", shown(node.id)), "rename one of them"};
        mesh_.nodes.push_back(std::move(node));
    }

    void read_links(const Node& list) {
        expect(list, Kind::list, "links");
        mesh_.links.reserve(list.items.size());
        for (const Node& entry : list.items) {
            const Map map(entry, "this link", {"from", "to", "rtt_ms", "gb_per_s", "tokens_per_s"});
            const Node& from = map.require("from");
            const Node& to = map.require("to");
            MeshLink link{.from = place_of(from), .to = place_of(to)};
            if (link.from == link.to)
                throw Refused{entry.mark,
                              link.from == kClient ? "this link joins the client to itself"
                                                   : fmt::format("this link joins {} to itself", shown(from)),
                              "leave it out"};
            const bool with_client = link.from == kClient || link.to == kClient;
            link.costs =
                read_link_costs(map, with_client ? mesh_.client_link.value_or(mesh_.default_link) : mesh_.default_link);
            add_link(link, entry, fmt::format("from {} to {}", shown(from), shown(to)));
        }
    }

    void add_link(const MeshLink& link, const Node& entry, const std::string& way) {
        const std::uint64_t ends = std::uint64_t{link.from} << 32 | link.to;
        const auto [first, fresh] = links_.try_emplace(ends, First{mesh_.links.size(), entry.mark.line});
        if (!fresh && mesh_.links[first->second.at] != link)
            throw Refused{entry.mark,
                          fmt::format("this link {} is another than that of line {}", way, first->second.line),
                          "leave one of them out"};
        if (fresh) mesh_.links.push_back(link);
    }

    std::uint32_t place_of(const Node& end) const {
        const std::string& id = text_of(end, "an end of this link");
        if (stands_for_client(id)) return kClient;
        const auto at = places_.find(id);
        if (at != places_.end()) return at->second;
        throw Refused{end.mark, fmt::format("this link names {}, and there is no such node", shown(end)),
                      "name one of the nodes, or source or sink for the client"};
    }

    struct First {
        std::size_t at = 0;
        std::size_t line = 0;
    };

    Mesh mesh_;
    std::unordered_map<std::uint64_t, First> links_;              // By their ends; asked, never walked
    std::unordered_map<std::string_view, std::uint32_t> places_;  // asked, never walked
};

}  // namespace

Result<Mesh> parse_mesh(const Document& document) {
    try {
        return MeshReader().read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

Result<Mesh> read_mesh(const std::string& path) {
    const auto document = read_document(path);
    if (!document) return tl::unexpected(document.error());
    return parse_mesh(*document);
}

bool looks_like_mesh(const Node& root) {
    return std::any_of(root.keys.begin(), root.keys.end(), [](const Node& key) {
        return key.text == "model" || key.text == "links" || key.text == "default_link";
    });
}

}  // namespace sy::input
