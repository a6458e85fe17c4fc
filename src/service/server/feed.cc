#include "service/server/feed.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "service/server/change_json.h"

namespace sy::server {

namespace {

http::Response refusal(unsigned status, const std::string& why) {
    return {status, fmt::format("{{\"error\":\"{}\"}}\n", why), "application/json", {}};
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

Feed::Feed(loop::Loop& loop, std::int64_t life, FeedLimits limits) : loop_(loop), life_(life), limits_(limits) {
    timer_ = loop_.at(loop::Loop::now() + limits_.keep_alive, [this] { keep_alive(); });
}

std::string Feed::id_of(std::uint64_t number) const {
    return fmt::format("{}-{}", life_, number);
}

std::string Feed::text_of(std::uint64_t number) const {
    const Change& change = changes_[number - first()];
    return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id_of(number), kind_of(change), json_of(change));
}

void Feed::add(const Change& change) {
    changes_.push_back(change);
    ++next_;
    if (changes_.size() > limits_.remembered) changes_.pop_front();
    // More than is remembered may come in one turn; who reads quickly, or wants little of it, is not left behind.
    if (++not_handed_out_ > limits_.remembered / 2) flush();
}

/// The number of the event after the one with this id; nothing where that is not known any more, or never was.
std::optional<std::uint64_t> Feed::after(const std::string& id) const {
    const std::size_t dash = id.rfind('-');
    if (dash == std::string::npos || id.substr(0, dash) != std::to_string(life_)) return std::nullopt;
    const auto number = number_in(std::string_view(id).substr(dash + 1));
    if (!number || *number + 1 < first() || *number >= next_) return std::nullopt;
    return *number + 1;
}

http::Response Feed::open(const http::Request& request) {
    std::optional<TaskId> task;
    if (const auto wanted = request.query.find("task"); wanted != request.query.end()) {
        const auto number = number_in(wanted->second);
        if (!number) return refusal(422, "task must be a number");
        task = TaskId(*number);
    }
    if (listeners_.size() >= limits_.listeners)
        return refusal(503, fmt::format("{} listen already, which is the limit", limits_.listeners));
    const auto said = request.query.find("after");
    const std::string last = said != request.query.end() ? said->second : request.header("last-event-id");
    http::Response response{200, "", "text/event-stream", {{"Cache-Control", "no-store"}}};
    response.opened = [this, task, last](std::shared_ptr<http::Stream> stream) { join(std::move(stream), task, last); };
    return response;
}

/// The first event tells where the listener stands, so that it can come back even if nothing happens meanwhile.
void Feed::join(std::shared_ptr<http::Stream> stream, std::optional<TaskId> task, const std::string& last) {
    const auto known = last.empty() ? std::optional(next_) : after(last);
    const std::uint64_t next = known.value_or(next_);
    stream->push(fmt::format("id: {}\nevent: {}\ndata: {{}}\n\n", id_of(next - 1), known ? "hello" : "gap"));
    listeners_.push_back({std::move(stream), task, next});
}

void Feed::flush() {
    not_handed_out_ = 0;
    for (Listener& listener : listeners_)
        if (listener.next < next_) hand_out(listener);
    std::erase_if(listeners_, [](const Listener& listener) { return !listener.stream->is_open(); });
}

void Feed::hand_out(Listener& listener) const {
    if (listener.next < first()) return listener.stream->close();
    std::string text;
    const std::size_t unsent = listener.stream->unsent();
    for (; listener.next < next_ && unsent + text.size() < limits_.ahead; ++listener.next) {
        const auto* task = std::get_if<TaskChange>(&changes_[listener.next - first()].what);
        if (!listener.task || (task != nullptr && task->task == *listener.task)) text += text_of(listener.next);
    }
    if (!text.empty()) listener.stream->push(text);
}

void Feed::keep_alive() {
    for (Listener& listener : listeners_)
        if (listener.stream->unsent() == 0) listener.stream->push(":\n\n");
    timer_ = loop_.at(loop::Loop::now() + limits_.keep_alive, [this] { keep_alive(); });
}

}  // namespace sy::server
