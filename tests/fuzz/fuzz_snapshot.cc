// A snapshot whose digest fits and whose contents may be anything. What is accepted must be able to go on.
#include <string_view>

#include "base/digest.h"
#include "core/control/core.h"
#include "fuzz/target.h"

namespace {
constexpr std::size_t kDigestBytes = 8;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    std::string sealed(reinterpret_cast<const char*>(bytes), size);
    std::uint64_t digest = sy::digest_of(sealed);
    for (std::size_t i = 0; i < kDigestBytes; ++i, digest >>= 8) sealed.push_back(static_cast<char>(digest & 0xff));
    auto core = sy::control::Core::restore(sealed, {});
    if (!core) return 0;
    core->step(sy::ServerStarted{}, sy::kStart);
    core->step(sy::Tick{}, sy::kEnd);
    core->step(sy::Hello{sy::GpuId(0), {1, ~std::uint64_t{0}}}, sy::kEnd);
    static_cast<void>(sy::control::Core::restore(core->snapshot(), {}).value());
    return 0;
}

std::vector<std::string> sy::fuzz::seeds() {
    control::Core core{control::Settings{}};
    core.step(AddNode{std::vector(4, GpuSpec{gigabytes(80)})}, kStart);
    for (std::uint32_t i = 0; i < 3; ++i) core.step(Hello{GpuId(i), {1, 1}}, kStart + 1s);
    for (GpuCount gpus : {1U, 2U, 1U, 1U})
        core.step(SubmitTask{RequestId(1), {.demand = {gpus, gigabytes(1)}}}, kStart + 2s);
    std::string bytes = core.snapshot();
    bytes.resize(bytes.size() - kDigestBytes);
    return {bytes};
}
