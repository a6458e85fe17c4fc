#include "service/device/kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sy::device {

namespace {

bool is_maker(std::string_view word) {
    constexpr std::array<std::string_view, 4> kMakers{"nvidia", "tesla", "geforce", "quadro"};
    return std::find(kMakers.begin(), kMakers.end(), word) != kMakers.end();
}

/// Where the form, the memory or the like begins: nothing after it tells cards apart.
bool is_form(std::string_view word) {
    return word.ends_with("gb") || word.starts_with("sxm") || word.starts_with("pcie") || word.starts_with("hbm") ||
           word == "nvl" || word == "generation";
}

}  // namespace

std::string kind_of(std::string_view name) {
    std::string kind;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find_first_of(" -"), name.size());
        std::string word(name.substr(0, end));
        name.remove_prefix(std::min(end + 1, name.size()));
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (word.empty() || (kind.empty() && is_maker(word))) continue;
        if (is_form(word)) break;
        kind += (kind.empty() ? "" : "-") + word;
    }
    return kind.empty() ? "gpu" : kind;
}

}  // namespace sy::device
