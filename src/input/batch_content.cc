#include "input/batch_content.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "input/amounts.h"
#include "input/json_text.h"
#include "input/reading.h"

namespace sy::input {

namespace {

/// Calls visit(slot, node) for each template within.
template <class Visit>
void for_each_slot(const Node& node, Visit visit) {
    if (node.kind == Kind::scalar) {
        const auto slots = slots_in(node.text);
        if (!slots) throw Refused{node.mark, slots.error().message, slots.error().fix};
        for (const Slot& slot : *slots) visit(slot, node);
    }
    for (const Node& item : node.items) for_each_slot(item, visit);
}

const Node* find(const Node& map, std::string_view key) {
    for (std::size_t i = 0; i < map.keys.size(); ++i)
        if (map.keys[i].text == key) return &map.items[i];
    return nullptr;
}

class ContentReader {
public:
    explicit ContentReader(const Batch& batch) : batch_(batch) {
        for (std::size_t w = 0; w < batch.workflows.size(); ++w) workflows_.emplace(batch.workflows[w].name, w);
    }

    Content read(const Node& root) {
        const Node& workflows = *find(root, "workflows");
        for (std::size_t w = 0; w < workflows.items.size(); ++w) {
            content_.steps.emplace_back();
            wanted_.emplace_back();
            for (std::size_t s = 0; s < workflows.items[w].items.size(); ++s)
                content_.steps.back().push_back(read_step(workflows.items[w].items[s], w));
        }
        for (const Node& request : find(root, "requests")->items) read_fields(request);
        return std::move(content_);
    }

private:
    StepContent read_step(const Node& step, std::size_t workflow) {
        StepContent content;
        if (const Node* body = find(step, "request")) {
            expect(*body, Kind::map, "request");
            content.what = StepContent::What::request;
            content.json = to_json(*body);
        }
        if (const Node* path = find(step, "path")) content.path = text_of(*path, "path");
        if (const Node* command = find(step, "command")) {
            expect(*command, Kind::list, "command");
            content.what = StepContent::What::command;
            content.json = to_json(*command);
        }
        if (const Node* folder = find(step, "folder")) content.folder = text_of(*folder, "folder");
        if (const Node* input = find(step, "input")) {
            content.what = StepContent::What::input;
            content.json = to_json(*input);
        }
        if (const Node* timeout = find(step, "timeout_s"))
            content.timeout_seconds = real_of(*timeout, "timeout_s", {0, kMostBatchSeconds, true});
        if (const Node* tries = find(step, "tries"))
            content.tries = static_cast<std::uint32_t>(whole_of(*tries, "tries", 1, 100));
        if (const Node* deadline = find(step, "deadline_s"))
            content.deadline_seconds = real_of(*deadline, "deadline_s", {0, kMostBatchSeconds, true});
        for_each_slot(step, [&](const Slot& slot, const Node& at) {
            if (slot.source == Slot::Source::request) wanted_[workflow].push_back({slot.path.front(), at.mark});
        });
        return content;
    }

    void read_fields(const Node& request) {
        const std::size_t workflow = workflows_.at(find(request, "workflow")->text);
        const Node* items = find(request, "items");
        const Node* fields = find(request, "fields");
        const Node* count = find(request, "count");
        const Node nothing{Kind::map, request.mark, {}, {}, {}, false};
        const std::size_t many = items != nullptr   ? items->items.size()
                                 : count != nullptr ? whole_of(*count, "count", 0, kMost)
                                                    : 1;
        const Node& given = fields != nullptr ? *fields : nothing;
        if (many > 0 && items == nullptr) check_fields(given, workflow);
        const std::string same = to_json(given);
        for (std::size_t i = 0; i < many; ++i) {
            if (items != nullptr) check_fields(items->items[i], workflow);
            content_.fields.push_back(items != nullptr ? to_json(items->items[i]) : same);
        }
    }

    void check_fields(const Node& fields, std::size_t workflow) const {
        for (const Wanted& wanted : wanted_[workflow])
            if (find(fields, wanted.field) == nullptr)
                throw Refused{fields.mark,
                              fmt::format("a template of workflow {} asks for the field '{}', which is not there",
                                          batch_.workflows[workflow].name, wanted.field),
                              "add it to the request's fields, or to this line"};
    }

    struct Wanted {
        std::string field;
        Mark mark;
    };
    static constexpr std::uint64_t kMost = 50'000'000;

    const Batch& batch_;
    std::unordered_map<std::string, std::size_t> workflows_;
    Content content_;
    std::vector<std::vector<Wanted>> wanted_;  ///< By workflow.
};

}  // namespace

bool Content::has_commands() const {
    return std::any_of(steps.begin(), steps.end(), [](const auto& workflow) {
        return std::any_of(workflow.begin(), workflow.end(),
                           [](const StepContent& step) { return step.what == StepContent::What::command; });
    });
}

std::vector<std::string_view> content_keys() {
    return {"request", "path", "command", "folder", "input", "timeout_s", "tries", "deadline_s"};
}

std::vector<std::string> steps_named_in(const Node& step) {
    std::set<std::string> names;
    for_each_slot(step, [&](const Slot& slot, const Node&) {
        if (slot.source == Slot::Source::step) names.insert(slot.step);
    });
    return {names.begin(), names.end()};
}

Result<Content> read_content(const Document& document, const Batch& batch) {
    try {
        return ContentReader(batch).read(document.root);
    } catch (const Refused& refused) {
        return invalid_at(document.name, refused.mark, refused.message, refused.fix);
    }
}

}  // namespace sy::input
