#include "suite.h"

namespace sy::bench {

std::optional<Wishes> Wishes::read(const std::vector<std::string>& words) {
    Wishes wishes;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--quick")
            wishes.pace.quick = true;
        else if (words[i] == "--json" && i + 1 < words.size())
            wishes.json = words[++i];
        else if (words[i].starts_with('-'))
            return std::nullopt;
        else
            wishes.names.push_back(words[i]);
    }
    return wishes;
}

bool Wishes::wants(std::string_view bench) const {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return bench.find(name) != std::string_view::npos;
           });
}

}  // namespace sy::bench
