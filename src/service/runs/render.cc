#include "service/runs/render.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "input/template.h"

namespace sy::runs {

namespace {

/// A number in a list, or a key of a map.
const Json* member(const Json& json, const std::string& word) {
    if (json.is_object()) {
        const auto found = json.find(word);
        return found == json.end() ? nullptr : &*found;
    }
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool is_number = error == std::errc{} && end == word.data() + word.size();
    return json.is_array() && is_number && index < json.size() ? &json[index] : nullptr;
}

class Renderer {
public:
    Renderer(const Json& fields, const AnswerOf& answer_of) : fields_(fields), answer_of_(answer_of) {}

    Result<Json> render(const Json& content) const {
        if (content.is_string()) return render_text(content.get_ref<const std::string&>());
        if (!content.is_structured()) return content;
        Json rendered = content;
        for (Json& item : rendered) {
            auto value = render(item);
            if (!value) return value;
            item = std::move(*value);
        }
        return rendered;
    }

private:
    Result<Json> render_text(const std::string& text) const {
        const auto slots = input::slots_in(text);
        if (!slots) return tl::unexpected(slots.error());
        if (slots->empty()) return Json(text);
        if (slots->size() == 1 && slots->front().begin == 0 && slots->front().end == text.size())
            return value_of(slots->front());
        std::string filled;
        std::size_t at = 0;
        for (const input::Slot& slot : *slots) {
            auto value = value_of(slot);
            if (!value) return value;
            filled += text.substr(at, slot.begin - at);
            filled += value->is_string() ? value->get<std::string>() : value->dump();
            at = slot.end;
        }
        return Json(filled + text.substr(at));
    }

    Result<Json> value_of(const input::Slot& slot) const {
        Result<Json> whole = fields_;
        if (slot.source == input::Slot::Source::step) {
            whole = answer_of_(slot.step);
            if (!whole) return whole;
            if (!slot.whole_answer) whole = output_of(*whole);
        }
        const Json* value = &*whole;
        for (const std::string& word : slot.path) {
            const Json* inner = member(*value, word);
            if (inner == nullptr)
                return fail(Fault::invalid_input,
                            fmt::format("a template asks for '{}' of {}, which is not there", fmt::join(slot.path, "."),
                                        slot.step.empty() ? "the request" : "step " + slot.step));
            value = inner;
        }
        return Json(*value);
    }

    const Json& fields_;
    const AnswerOf& answer_of_;
};

}  // namespace

Result<Json> render(const Json& content, const Json& fields, const AnswerOf& answer_of) {
    return Renderer(fields, answer_of).render(content);
}

Json output_of(const Json& answer) {
    const auto at = [&](const char* pointer) -> const Json* {
        const Json::json_pointer path(pointer);
        return answer.is_object() && answer.contains(path) ? &answer[path] : nullptr;
    };
    for (const char* pointer : {"/choices/0/message/content", "/choices/0/text", "/data/0/embedding"})
        if (const Json* found = at(pointer)) return *found;
    return answer;
}

}  // namespace sy::runs
