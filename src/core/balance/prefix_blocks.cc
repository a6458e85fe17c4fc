#include "core/balance/prefix_blocks.h"

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "core/balance/mix.h"

namespace sy::balance {

namespace {

std::uint64_t digest_of_block(std::string_view block) {
    return digest_of(block);
}

std::uint64_t digest_of_block(std::span<const std::uint32_t> block) {
    Digest digest;
    for (const std::uint32_t token : block) digest.add(token);
    return digest.value();
}

std::string_view part(std::string_view text, std::size_t begin, std::size_t length) {
    return text.substr(begin, length);
}

std::span<const std::uint32_t> part(std::span<const std::uint32_t> tokens, std::size_t begin, std::size_t length) {
    return tokens.subspan(begin, length);
}

template <class Prompt>
std::vector<std::uint64_t> chain(Prompt prompt, std::size_t length, std::uint64_t salt) {
    SY_CHECK(length > 0, "a block of length 0");
    std::vector<std::uint64_t> blocks;
    std::uint64_t so_far = mix(salt);
    const std::size_t count = std::min(prompt.size() / length, kMostBlocks);
    for (std::size_t i = 0; i < count; ++i) {
        so_far = mix(so_far, digest_of_block(part(prompt, i * length, length)));
        blocks.push_back(so_far);
    }
    return blocks;
}

}  // namespace

std::vector<std::uint64_t> prefix_blocks(std::string_view text, std::size_t length, std::uint64_t salt) {
    return chain(text, length, salt);
}

std::vector<std::uint64_t> prefix_blocks(std::span<const std::uint32_t> tokens, std::size_t length,
                                         std::uint64_t salt) {
    return chain(tokens, length, salt);
}

}  // namespace sy::balance
