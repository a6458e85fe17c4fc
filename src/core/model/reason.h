// Reason: why not. Refusals and waits are values that a program can count and a person can read.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace sy {

enum class Cause : std::uint8_t {
    none,
    no_gpus,           ///< A task that asks for no GPU, or a node that brings none.
    gang_too_wide,     ///< Wider than any node.
    memory_too_large,  ///< No GPU is that large, or no run of GPUs that long is.
    no_such_node,      ///< Wide and large enough ones there are, but none of that kind or with what goes with the GPUs.
    timeout_not_positive,
    timeout_too_long,
    negative_estimate,
    too_many_retries,
    too_many_tasks,
    too_many_gpus,
    node_too_wide,
    unknown_task,
    already_ended,
    delay_out_of_range,
    too_many_needs,
    unknown_gpu,
    tied_to_other_number,  ///< Tied to more or fewer GPUs than it needs.
    node_known,            ///< A node of that name is part of the cluster already.
    no_such_kind,          ///< No GPU is of that kind.
    unknown_node,          ///< There is none of that name.
    node_in_use,           ///< A worker of it is here, or a task is there.
    not_in_line,           ///< It runs (limit 0), or is held back (1).
    another_level,         ///< Than the task it was to stand before.
    order_decides,         ///< Who comes first is no matter of arrival under this order.
};
constexpr Cause last_of(Cause) {
    return Cause::order_decides;
}

/// A cause with the figures that make it plain: what was asked, and the limit it met.
struct Reason {
    Cause cause = Cause::none;
    std::int64_t asked = 0;
    std::int64_t limit = 0;

    explicit operator bool() const { return cause != Cause::none; }

    static constexpr auto fields() { return std::tuple{&Reason::cause, &Reason::asked, &Reason::limit}; }
    friend bool operator==(const Reason&, const Reason&) = default;
};

std::string describe(const Reason& reason);

}  // namespace sy
