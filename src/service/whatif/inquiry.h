// Inquiry: a question under way. One thread works on it, another looks how far it is and may call it off.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "service/whatif/limits.h"
#include "service/whatif/standing.h"

namespace sy::whatif {

struct Inquiry {
    Inquiry(std::string asked, Standing stands) : body(std::move(asked)), standing(std::move(stands)) {}

    std::string body;  ///< As it was sent.
    Standing standing;

    std::atomic<bool> is_off = false;  ///< Nobody wants the answer any more.
    std::atomic<std::uint32_t> orders = 0;
    std::atomic<std::uint32_t> order = 0;  ///< How many of them are done.
    std::atomic<std::uint64_t> jobs = 0;
    std::atomic<std::uint64_t> ended = 0;  ///< Of them, under the order that is being tried.
};

/// A status, and a JSON document.
struct Answer {
    unsigned status = 200;
    std::string body;
};

/// Tries everything that was asked for. Takes long; anywhere but on the service's own thread.
Answer answer_to(Inquiry& inquiry, const Limits& limits);

}  // namespace sy::whatif
