// Runs a fuzz target without libFuzzer: its seeds, and some thousand random changes of them from a fixed seed.
#include <fmt/core.h>

#include "base/random.h"
#include "fuzz/target.h"

namespace sy::fuzz {

namespace {

constexpr int kChangesPerSeed = 4000;
constexpr std::uint64_t kMostChanges = 8;

void feed(const std::string& input) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

void change(std::string& input, Random& random) {
    const std::size_t at = random.below(input.size() + 1);
    const auto byte = static_cast<char>(random.below(256));
    switch (random.below(4)) {
        case 0: input.insert(at, 1, byte); break;
        case 1: input.erase(at, 1 + random.below(4)); break;
        case 2: input.insert(at, input.substr(random.below(input.size() + 1), random.below(16))); break;
        default:
            if (at < input.size()) input[at] = byte;
    }
}

}  // namespace

}  // namespace sy::fuzz

int main() {
    sy::Random random(1);
    int inputs = 0;
    for (const std::string& seed : sy::fuzz::seeds()) {
        sy::fuzz::feed(seed);
        for (int i = 0; i < sy::fuzz::kChangesPerSeed; ++i, ++inputs) {
            std::string input = seed;
            for (std::uint64_t left = 1 + random.below(sy::fuzz::kMostChanges); left > 0; --left)
                sy::fuzz::change(input, random);
            sy::fuzz::feed(input);
        }
    }
    fmt::print("{} inputs, none did harm\n", inputs);
    return 0;
}
