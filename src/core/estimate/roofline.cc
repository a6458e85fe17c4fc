#include "core/estimate/roofline.h"

#include <algorithm>
#include <cmath>

#include "base/wide.h"
#include "core/estimate/layer.h"

namespace sy::estimate {

namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
/// Of a sum of speeds: far above any machine, and small enough to round.
constexpr double kFastest = 9e18;

std::uint64_t each_second(double amount) {
    return static_cast<std::uint64_t>(std::llround(std::clamp(amount, 1.0, kFastest)));
}

Duration lasting(UnsignedWide work, std::uint64_t a_second) {
    constexpr UnsignedWide kSecond = 1'000'000'000;
    const UnsignedWide ns = (work * kSecond + a_second - 1) / a_second;
    const auto most = static_cast<UnsignedWide>(kSlowestLayer / 1ns);
    return Duration(static_cast<std::int64_t>(std::min(ns, most)));
}

Duration longer(const Speed& speed, UnsignedWide flops, UnsignedWide bytes) {
    return std::max(lasting(flops, speed.flops_per_s), lasting(bytes, speed.bytes_per_s));
}

}  // namespace

Speed speed_of(const MeshNode& node) {
    return {each_second(node.tflops * kTera * node.gpus), each_second(node.bandwidth_gb_s * kGiga * node.gpus)};
}

Duration step_time(const Speed& speed, const ModelShape& model, std::uint32_t layer, const Step& step) {
    const UnsignedWide flops = UnsignedWide{token_flops(model, layer, step.context)} * step.batch;
    const UnsignedWide cache = UnsignedWide{cache_per_token(model).value()} * step.context * step.batch;
    return longer(speed, flops, weights_touched(model, layer, step.batch).value() + cache);
}

Duration prompt_time(const Speed& speed, const ModelShape& model, std::uint32_t layer, std::uint32_t tokens) {
    const UnsignedWide cache = UnsignedWide{cache_per_token(model).value()} * tokens;
    return longer(speed, prompt_flops(model, layer, tokens), weights_touched(model, layer, tokens).value() + cache);
}

Duration head_time(const Speed& speed, const ModelShape& model, std::uint32_t batch) {
    return longer(speed, UnsignedWide{head_flops(model)} * batch, embedding_weights(model).value());
}

}  // namespace sy::estimate
