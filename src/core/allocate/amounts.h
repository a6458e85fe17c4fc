// Amounts: how much of each resource, in whole units (S1, S6).
//
// The units are the caller's, as long as capacity and wants use the same: GPUs, MiB, cores, Mbit/s. Whoever wants to
// hand out parts of a GPU counts in thousandths.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace sy::allocate {

enum class Resource : std::uint8_t { gpu, gpu_memory, cpu, memory, network };
inline constexpr std::array kResources{Resource::gpu, Resource::gpu_memory, Resource::cpu, Resource::memory,
                                       Resource::network};

constexpr std::size_t index_of(Resource resource) {
    return static_cast<std::size_t>(resource);
}

constexpr std::string_view name_of(Resource resource) {
    constexpr std::array<std::string_view, kResources.size()> kNames{"GPUs", "GPU memory", "CPUs", "memory", "network"};
    return kNames[index_of(resource)];
}

/// No amount is larger, so that the sum over all parties stays within 64 bits.
inline constexpr std::int64_t kMostAmount = 10'000'000'000'000;

struct Amounts {
    std::int64_t gpu = 0;
    std::int64_t gpu_memory = 0;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    std::int64_t network = 0;

    constexpr std::int64_t& operator[](Resource resource) { return this->*kMembers[index_of(resource)]; }
    constexpr std::int64_t operator[](Resource resource) const { return this->*kMembers[index_of(resource)]; }

    constexpr Amounts& operator+=(const Amounts& other) {
        for (const Resource resource : kResources) (*this)[resource] += other[resource];
        return *this;
    }
    constexpr Amounts& operator-=(const Amounts& other) {
        for (const Resource resource : kResources) (*this)[resource] -= other[resource];
        return *this;
    }
    friend constexpr Amounts operator+(Amounts a, const Amounts& b) { return a += b; }
    friend constexpr Amounts operator-(Amounts a, const Amounts& b) { return a -= b; }
    friend constexpr Amounts operator*(Amounts a, std::int64_t times) {
        for (const Resource resource : kResources) a[resource] *= times;
        return a;
    }
    friend constexpr bool operator==(const Amounts&, const Amounts&) = default;

private:
    /// In the order of kResources.
    static const std::array<std::int64_t Amounts::*, kResources.size()> kMembers;
};
inline constexpr std::array<std::int64_t Amounts::*, kResources.size()> Amounts::kMembers{
    &Amounts::gpu, &Amounts::gpu_memory, &Amounts::cpu, &Amounts::memory, &Amounts::network};

/// The same of everything.
constexpr Amounts each(std::int64_t amount) {
    return {amount, amount, amount, amount, amount};
}

constexpr Amounts smaller_of(Amounts a, const Amounts& b) {
    for (const Resource resource : kResources) a[resource] = std::min(a[resource], b[resource]);
    return a;
}

/// In every resource; neither need be the larger one.
constexpr bool fits(const Amounts& inner, const Amounts& outer) {
    return smaller_of(inner, outer) == inner;
}

}  // namespace sy::allocate
