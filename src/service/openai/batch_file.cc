#include "service/openai/batch_file.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "input/template.h"

namespace sy::openai {

namespace {

constexpr std::size_t kMostId = 512;

class Reader {
public:
    BatchInput read(std::string_view text) {
        for (std::size_t number = 1; !text.empty() && input_.errors.size() < kMostErrors; ++number) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(text.size(), line.size() + 1));
            if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            if (input_.lines.size() == kMostLines) {
                blame(std::nullopt, "too_many_lines", fmt::format("a batch has at most {} lines", kMostLines));
                break;
            }
            read_line(number, line);
        }
        if (input_.lines.empty() && input_.errors.empty()) blame(std::nullopt, "empty_file", "the file has no lines");
        if (!input_.errors.empty()) return std::move(input_);
        for (std::size_t i = 0; i < input_.lines.size(); ++i) find_needs(i);
        if (input_.errors.empty()) refuse_circles();
        return std::move(input_);
    }

private:
    void blame(std::optional<std::size_t> line, std::string code, std::string message, std::string param = "") {
        if (input_.errors.size() < kMostErrors)
            input_.errors.push_back({std::move(code), std::move(message), std::move(param), line});
    }

    void read_line(std::size_t number, std::string_view text) {
        auto json = parse_json(text);
        if (!json || !json->is_object())
            return blame(number, "invalid_json_line", "this line is no JSON map, or nested too deeply");
        for (const char* key : {"custom_id", "method", "url"})
            if (!json->contains(key) || !(*json)[key].is_string())
                return blame(number, "missing_required_parameter", fmt::format("'{}' must be a text", key), key);
        BatchLine line{.line = number, .custom_id = (*json)["custom_id"].get<std::string>(), .call = {}, .needs = {}};
        if (line.custom_id.empty() || line.custom_id.size() > kMostId)
            return blame(number, "invalid_custom_id", fmt::format("'custom_id' must have 1 to {} bytes", kMostId),
                         "custom_id");
        if (!places_.emplace(line.custom_id, input_.lines.size()).second)
            return blame(number, "duplicate_custom_id", fmt::format("custom_id '{}' is used twice", line.custom_id),
                         "custom_id");
        if ((*json)["method"] != "POST") return blame(number, "invalid_method", "'method' must be POST", "method");
        const auto url = (*json)["url"].get<std::string>();
        if (!is_call_path(url))
            return blame(number, "invalid_url",
                         fmt::format("'url' must be {}, {} or {}", kChat, kCompletions, kEmbeddings), "url");
        Json body = json->value("body", Json());
        if (!body.is_object()) return blame(number, "missing_required_parameter", "'body' must be a map", "body");
        for (const char* key : {"priority", "deadline"})  // of a line they may stand beside the body
            if (json->contains(key)) body[key] = (*json)[key];
        if (body.value("stream", Json(false)) != false)
            return blame(number, "invalid_request", "'stream' must not be set in a batch", "body.stream");
        auto call = read_call(url, std::move(body), Level::normal);
        if (!call) return blame(number, "invalid_request", call.error().message, "body." + call.error().param);
        line.call = std::move(*call);
        if (!read_names(*json, number)) return;
        input_.lines.push_back(std::move(line));
    }

    /// What a line depends on, by name; places are known when all have been read.
    bool read_names(const Json& json, std::size_t number) {
        std::vector<std::string> names;
        if (const auto found = json.find("depends_on"); found != json.end()) {
            const bool is_list = found->is_array() &&
                                 std::all_of(found->begin(), found->end(), [](const Json& j) { return j.is_string(); });
            if (!is_list) {
                blame(number, "invalid_depends_on", "'depends_on' must be a list of custom_ids", "depends_on");
                return false;
            }
            names = found->get<std::vector<std::string>>();
        }
        names_.push_back(std::move(names));
        return true;
    }

    void find_needs(std::size_t place) {
        BatchLine& line = input_.lines[place];
        for (const std::string& name : names_[place]) {
            const auto found = places_.find(name);
            if (found == places_.end())
                return blame(line.line, "unknown_dependency", fmt::format("no line has the custom_id '{}'", name),
                             "depends_on");
            line.needs.push_back(found->second);
        }
        if (!line.needs.empty()) check_templates(line, line.call.body);
    }

    /// Only a line that depends on others has templates; in all others braces are just text.
    void check_templates(const BatchLine& line, const Json& json) {
        if (json.is_structured())
            for (const Json& item : json) check_templates(line, item);
        if (!json.is_string()) return;
        const auto slots = input::slots_in(json.get_ref<const std::string&>());
        if (!slots) return blame(line.line, "invalid_template", slots.error().message, "body");
        for (const input::Slot& slot : *slots) {
            const bool is_needed = slot.source == input::Slot::Source::step &&
                                   std::any_of(line.needs.begin(), line.needs.end(), [&](std::size_t need) {
                                       return input_.lines[need].custom_id == slot.step;
                                   });
            if (!is_needed)
                return blame(line.line, "invalid_template",
                             fmt::format("a template names '{}', which 'depends_on' does not", slot.step), "body");
        }
    }

    /// By taking away what needs nothing more; what is left over runs in a circle.
    void refuse_circles() {
        std::vector<std::size_t> open(input_.lines.size());
        std::vector<std::vector<std::size_t>> after(input_.lines.size());
        std::vector<std::size_t> ready;
        for (std::size_t i = 0; i < input_.lines.size(); ++i) {
            open[i] = input_.lines[i].needs.size();
            if (open[i] == 0) ready.push_back(i);
            for (const std::size_t need : input_.lines[i].needs) after[need].push_back(i);
        }
        for (std::size_t done = 0; done < ready.size(); ++done)
            for (const std::size_t next : after[ready[done]])
                if (--open[next] == 0) ready.push_back(next);
        for (std::size_t i = 0; i < open.size(); ++i)
            if (open[i] > 0)
                return blame(input_.lines[i].line, "circular_dependency",
                             fmt::format("'{}' waits for itself, or for lines that do", input_.lines[i].custom_id),
                             "depends_on");
    }

    BatchInput input_;
    std::map<std::string, std::size_t> places_;
    std::vector<std::vector<std::string>> names_;  ///< By line: what it depends on.
};

}  // namespace

Json to_json(const LineError& error) {
    return {{"code", error.code},
            {"message", error.message},
            {"param", error.param.empty() ? Json(nullptr) : Json(error.param)},
            {"line", error.line ? Json(*error.line) : Json(nullptr)}};
}

BatchInput read_batch_file(std::string_view text) {
    return Reader().read(text);
}

}  // namespace sy::openai
