// Ids: numbers that cannot be mistaken for each other.
//
// A TaskId is not a GpuId, and neither is an integer until asked. Ids order by value, which is how every tie in the
// project ends.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sy {

template <class Tag, class Rep = std::uint64_t>
class Id {
public:
    using rep = Rep;

    constexpr Id() = default;
    constexpr explicit Id(Rep value) : value_(value) {}

    constexpr Rep value() const { return value_; }
    constexpr Id next() const { return Id(static_cast<Rep>(value_ + 1)); }

    friend constexpr auto operator<=>(Id, Id) = default;

private:
    Rep value_ = 0;
};

/// A task. Given in order of acceptance from 1 on, so it is the sequence number as well.
using TaskId = Id<struct TaskTag>;
/// A GPU, counted through the whole cluster in physical order. Its worker goes by the same number (G7).
using GpuId = Id<struct GpuTag, std::uint32_t>;
/// A machine that holds GPUs.
using NodeId = Id<struct NodeTag, std::uint32_t>;
/// A kind of GPU, by its place in a table of names. 0: any.
using KindId = Id<struct KindTag, std::uint32_t>;
/// The place of a text in a table of users, models or names; 0: nothing was said.
using NameId = Id<struct NameTag, std::uint32_t>;
/// Names a client's request, so that the answer finds it. Chosen by the client's side.
using RequestId = Id<struct RequestTag>;
/// One attempt's number among all attempts ever started. It only grows: a smaller one is out of date.
using Fence = Id<struct FenceTag>;
/// One worker's stay with the server, from welcome to loss. It only grows.
using SessionId = Id<struct SessionTag>;

}  // namespace sy
