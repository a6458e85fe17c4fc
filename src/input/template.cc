#include "input/template.h"

#include <algorithm>

#include <fmt/format.h>

namespace sy::input {

namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\n";
    const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
    const std::size_t last = text.find_last_not_of(kBlank);
    return last == std::string_view::npos ? std::string_view{} : text.substr(begin, last + 1 - begin);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words;
    for (;;) {
        const std::size_t dot = text.find('.');
        words.emplace_back(text.substr(0, dot));
        if (dot == std::string_view::npos) return words;
        text.remove_prefix(dot + 1);
    }
}

tl::unexpected<Error> no_template(std::string_view text) {
    return fail(Fault::invalid_input, fmt::format("'{{{{{}}}}}' is no template", text),
                "write {{ steps.NAME.output }}, {{ steps.NAME.answer }} or {{ request.FIELD }}");
}

Result<Slot> read_slot(std::string_view inside) {
    std::vector<std::string> words = split(trimmed(inside));
    if (std::any_of(words.begin(), words.end(), [](const std::string& word) { return word.empty(); }))
        return no_template(inside);
    Slot slot;
    std::size_t read = 1;
    if (words.front() == "steps") {
        if (words.size() < 3 || (words[2] != "output" && words[2] != "answer")) return no_template(inside);
        slot.source = Slot::Source::step;
        slot.step = words[1];
        slot.whole_answer = words[2] == "answer";
        read = 3;
    } else if (words.front() != "request" || words.size() < 2) {
        return no_template(inside);
    }
    slot.path.assign(words.begin() + static_cast<std::ptrdiff_t>(read), words.end());
    return slot;
}

}  // namespace

Result<std::vector<Slot>> slots_in(std::string_view text) {
    std::vector<Slot> slots;
    for (std::size_t at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen, at)) {
        const std::size_t close = text.find(kClose, at);
        if (close == std::string_view::npos)
            return fail(Fault::invalid_input, "'{{' is never closed", "write }} where the template ends");
        auto slot = read_slot(text.substr(at + kOpen.size(), close - at - kOpen.size()));
        if (!slot) return tl::unexpected(slot.error());
        slot->begin = at;
        slot->end = close + kClose.size();
        at = slot->end;
        slots.push_back(std::move(*slot));
    }
    return slots;
}

}  // namespace sy::input
