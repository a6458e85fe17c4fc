// The arrows between folders, as a check over #include lines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sy::tree {

/// One line for each include that runs against the arrows: "src/core/queue/x.h:7: queue may not include place".
std::vector<std::string> find_upward_includes(const std::filesystem::path& source_root);

/// One line for each breach of the house rules that a machine can see.
std::vector<std::string> find_rule_breaches(const std::filesystem::path& project_root);

}  // namespace sy::tree
