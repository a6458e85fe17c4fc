#include "service/server/waiting_reason.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace sy::server {

namespace {

using place::Survey;

constexpr std::size_t kMostNeedsNamed = 3;
constexpr std::size_t kMostPartsNamed = 3;

struct Word {
    std::uint32_t Survey::*count;
    const char* text;
};
constexpr std::array kWords{
    Word{&Survey::busy, "busy"},
    Word{&Survey::kept, "being cleared"},
    Word{&Survey::draining, "draining"},
    Word{&Survey::reserved, "reserved"},
    Word{&Survey::faulty, "faulty"},
    Word{&Survey::no_worker, "without worker"},
    Word{&Survey::other_kind, "of another kind"},
    Word{&Survey::too_small, "too small"},
    Word{&Survey::gang_short, "without enough neighbours"},
    Word{&Survey::crowded, "used by strangers"},
    Word{&Survey::elsewhere, "not the one it is tied to"},
};

std::string about(Duration time) {
    const auto seconds = static_cast<std::int64_t>(std::ceil(to_seconds(time)));
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", (seconds + 59) / 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

std::string needs_text(const std::vector<TaskId>& needs) {
    std::string text = "needs";
    for (std::size_t i = 0; i < std::min(needs.size(), kMostNeedsNamed); ++i)
        text += fmt::format("{} #{}", i == 0 ? "" : ",", needs[i].value());
    if (needs.size() > kMostNeedsNamed) text += fmt::format(" and {} more", needs.size() - kMostNeedsNamed);
    return text;
}

/// Of the only one that counts.
const char* how_its_own_is(const Survey& gpus) {
    for (const Word& word : kWords)
        if (word.count != &Survey::elsewhere && gpus.*word.count > 0) return word.text;
    return "not free";
}

std::string gpus_text(const Survey& gpus) {
    const std::uint32_t total = gpus.total();
    if (gpus.elsewhere > 0 && total - gpus.elsewhere == 1)
        return fmt::format("the GPU it is tied to is {}", how_its_own_is(gpus));
    if (total > 1 && gpus.busy == total) return fmt::format("all {} GPUs are busy", total);
    std::string text;
    std::size_t parts = 0;
    for (const Word& word : kWords) {
        if (gpus.*word.count == 0 || parts == kMostPartsNamed) continue;
        text += fmt::format("{} {} {}", parts++ == 0 ? "GPUs:" : ",", gpus.*word.count, word.text);
    }
    return text;
}

}  // namespace

std::string awaited_host(const control::Explanation& why) {
    if (!why.nowhere) return "";
    if (why.gpus.total() == 0) return "no host has joined yet";
    return fmt::format("waits for a host to join: it {}", describe(why.nowhere));
}

std::string waiting_reason(const control::Explanation& why) {
    if (!why.needs.empty()) return needs_text(why.needs);
    if (why.held) return fmt::format("may start in {}", about(*why.held));
    if (std::string text = awaited_host(why); !text.empty()) return text;
    if (why.paused) return "the queue is paused";
    if (why.cleared) return "GPUs are being cleared for it";
    if (why.gpus.suitable > 0 && why.first_in_line) return fmt::format("behind #{}", why.first_in_line->value());
    if (std::string text = gpus_text(why.gpus); !text.empty()) return text;
    return "next in line";
}

}  // namespace sy::server
