#include "service/pipelines/pipelines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "input/document.h"

namespace sy::pipelines {

namespace {

constexpr const char* kDocument = "pipelines.json";

}  // namespace

Result<Pipelines::Entry> Pipelines::made_of(const std::string& order) const {
    const auto document = input::parse_document(order, "the body");
    if (!document) return tl::unexpected(document.error());
    const auto parsed = input::parse_pipeline(*document);
    if (!parsed) return tl::unexpected(parsed.error());
    auto served = Served::make(*parsed, static_cast<std::uint64_t>(world_.wall()) * 1'000, world_.say);
    if (!served) return tl::unexpected(served.error());
    Json json = Json::parse(order, nullptr, false);
    if (json.is_discarded()) return fail(Fault::invalid_input, "the body is not JSON");
    return Entry{std::move(json), std::move(*served)};
}

Result<void> Pipelines::open() {
    const auto text = documents_.read(kDocument);
    if (!text) return tl::unexpected(text.error());
    if (!*text) return {};
    const Json all = Json::parse(**text, nullptr, false);
    if (!all.is_array())
        return fail(Fault::failed, fmt::format("{} is damaged", kDocument), "mend it by hand, or take it away");
    for (const Json& order : all) {
        auto entry = made_of(order.dump());
        if (!entry)
            return fail(Fault::failed, fmt::format("{}: {}", kDocument, entry.error().message), entry.error().fix);
        entries_.emplace(entry->served->name(), std::move(*entry));
    }
    return {};
}

Result<void> Pipelines::write() const {
    Json all = Json::array();
    for (const auto& [name, entry] : entries_) all.push_back(entry.order);
    return documents_.write(kDocument, all.dump(1) + "\n");
}

Result<Json> Pipelines::add(const std::string& order) {
    auto entry = made_of(order);
    if (!entry) return tl::unexpected(entry.error());
    const std::string name = entry->served->name();
    if (entries_.contains(name))
        return fail(Fault::invalid_input, fmt::format("there is a pipeline '{}' already", name),
                    "take another name, or remove that one first");
    Json summary = entry->served->summary();
    entries_.emplace(name, std::move(*entry));
    if (const auto written = write(); !written) {
        entries_.erase(name);
        return tl::unexpected(written.error());
    }
    return summary;
}

Result<bool> Pipelines::remove(const std::string& name) {
    auto entry = entries_.extract(name);
    if (!entry) return false;
    if (const auto written = write(); !written) {
        entries_.insert(std::move(entry));
        return tl::unexpected(written.error());
    }
    entry.mapped().served->close();
    return true;
}

Served* Pipelines::find(const std::string& name) {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second.served.get();
}

Json Pipelines::list() const {
    Json all = Json::array();
    for (const auto& [name, entry] : entries_) all.push_back(entry.served->summary());
    return all;
}

std::vector<Figures> Pipelines::figures(std::size_t most) const {
    std::vector<Figures> all;
    for (const auto& [name, entry] : entries_)
        if (all.size() < most) all.push_back(entry.served->figures());
    return all;
}

void Pipelines::advance() {
    for (const auto& [name, entry] : entries_) entry.served->tick(now());
    const Instant due = next_due();
    if (timer_ && timer_->first == due) return;
    if (timer_) world_.loop.cancel(*timer_);
    timer_.reset();
    if (due != kNever) timer_ = world_.loop.at(due, [this] { timer_.reset(); });
}

Instant Pipelines::next_due() const {
    Instant next = kNever;
    for (const auto& [name, entry] : entries_) next = std::min(next, entry.served->due());
    return next;
}

}  // namespace sy::pipelines
