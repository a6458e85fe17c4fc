// Prefix blocks: a prompt as a chain of hashes, one for each whole block of it.
//
// The i-th hash stands for everything from the beginning to the end of block i, so two prompts share the first i hashes
// if and only if they share the first i blocks (but for accidents of 64 bits). A last block that is not full is left
// out, as engines that keep keys and values do, and so is what lies beyond kMostBlocks: choose blocks long enough that
// prompts differ before. The salt keeps apart what must not be shared: models, adapters, tenants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sy::balance {

inline constexpr std::size_t kMostBlocks = 32;

/// `length` characters or tokens a block, at least 1.
std::vector<std::uint64_t> prefix_blocks(std::string_view text, std::size_t length, std::uint64_t salt = 0);
std::vector<std::uint64_t> prefix_blocks(std::span<const std::uint32_t> tokens, std::size_t length,
                                         std::uint64_t salt = 0);

}  // namespace sy::balance
