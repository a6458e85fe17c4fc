#include "service/openai/calls.h"

#include <utility>

#include <fmt/format.h>

#include "core/model/describe.h"
#include "service/server/json_answer.h"
#include "service/server/task_json.h"

namespace sy::openai {

namespace {

using server::State;

/// What a task of ours is called, so that those of an earlier life are known.
constexpr const char* kTaskName = "(openai call)";

/// Of a client that reads too slowly.
constexpr std::size_t kMostUnsent = std::size_t{8} << 20U;

constexpr unsigned kClientGone = 499;

std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

unsigned status_of(const Error& error) {
    return error.fault == Fault::invalid_input ? 400 : 503;
}

}  // namespace

Refusal refusal_of(const server::TaskRecord& record) {
    const std::string why = record.attempts.empty() ? "" : record.attempts.back().details.error;
    const unsigned status = record.attempts.empty() ? 0 : record.attempts.back().details.http_status;
    if (record.state == State::failed && status >= 400 && status < 500) return {status, why, "", "refused_by_model"};
    const auto because = [&why](const std::string& what) { return why.empty() ? what : what + ": " + why; };
    switch (record.state) {
        case State::timed_out: return {504, because("the model took too long"), "", "timed_out"};
        case State::cancelled: return {503, "the call was cancelled", "", "cancelled"};
        case State::lost: return {502, because("the model's worker was lost"), "", "worker_lost"};
        default: return {502, because("the model failed"), "", "model_failed"};
    }
}

void Calls::add(Call call, Client client) {
    if (waiting_.size() >= most_waiting_)
        return client.answer(
            error_response({429, fmt::format("{} calls wait already, the limit (openai_max_waiting)", most_waiting_),
                            "", "too_many_waiting"}));
    if (!find_model(world_.engine.catalogue(), call.model))
        return client.answer(
            error_response({404, fmt::format("there is no model '{}'", call.model), "model", "model_not_found"}));
    Json task{{"model", call.model},
              {"name", kTaskName},
              {"priority", name_of(call.level)},
              {"input", {{"path", call.path}, {"body", call.body}}}};
    if (call.deadline) task["deadline_s"] = to_seconds(*call.deadline);
    auto submission = server::read_submission(task);
    if (submission) submission = server::under_rules(std::move(*submission), task, world_.rules);
    if (!submission) return client.answer(error_response({400, submission.error().message}));
    submission->user = std::move(client.owner);
    submission->work.stream = call.stream;
    const Number number = ++last_;
    Waiting& waiting = waiting_[number];
    waiting.answer = std::move(client.answer);
    if (call.deadline)
        waiting.deadline = world_.loop.at(loop::Loop::now() + *call.deadline, [this, number] {
            waiting_.at(number).deadline.reset();
            give_up(number, {504, "the call's deadline has passed", "deadline", "deadline_exceeded"});
        });
    waiting.call = std::move(call);
    if (client.when_gone) client.when_gone([this, number] { give_up(number, {kClientGone, "the client has gone"}); });
    world_.engine.submit(std::move(*submission),
                         [this, number](const Result<server::Placed>& result) { placed(number, result); });
}

void Calls::placed(Number number, const Result<server::Placed>& placed) {
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) {  // given up meanwhile
        if (placed) world_.engine.cancel(placed->task, [](const Result<void>&) {});
        return;
    }
    if (!placed) return refuse(take(number), {status_of(placed.error()), placed.error().message});
    found->second.task = placed->task;
    by_task_.emplace(placed->task, number);
    if (found->second.call.stream)
        world_.pieces.listen(placed->task, [this, number](std::uint32_t attempt, std::string_view json) {
            heard(number, attempt, json);
        });
    const auto record = world_.engine.record(placed->task);
    if (record && *record && server::has_ended((*record)->state)) ended(number);
}

void Calls::see(const server::Change& change) {
    const auto* task = std::get_if<server::TaskChange>(&change.what);
    if (task == nullptr || task->what != server::TaskChange::What::ended) return;
    if (const auto found = by_task_.find(task->task); found != by_task_.end()) ended(found->second);
}

/// Whatever is sent may show that the client has gone, and then the call is forgotten before we come back.
void Calls::heard(Number number, std::uint32_t attempt, std::string_view json) {
    const Json data = Json::parse(json, nullptr, false);
    auto found = waiting_.find(number);
    if (found == waiting_.end() || data.is_discarded()) return;
    if (!found->second.stream) {
        const Waiting as_it_is = found->second;
        auto opened = open_stream(as_it_is);
        found = waiting_.find(number);
        if (found == waiting_.end() || !opened) return;
        found->second.stream = std::move(opened);
    }
    Waiting& waiting = found->second;
    if (waiting.attempt != 0 && waiting.attempt != attempt)
        return give_up(number, {502, "the model's worker was lost in the middle of its answer", "", "worker_lost"});
    waiting.attempt = attempt;
    waiting.in_our_words = waiting.in_our_words || !is_piece(data);
    const std::string event = event_text(text_of(piece_of(waiting.call, data, marks_of(waiting))));
    const auto stream = waiting.stream;
    stream->push(event);
    if (stream->unsent() > kMostUnsent) stream->close();
}

Marks Calls::marks_of(const Waiting& waiting) const {
    return {fmt::format("call-{}", waiting.task.value()), world_.wall() / 1000};
}

std::shared_ptr<http::Stream> Calls::open_stream(const Waiting& waiting) {
    std::shared_ptr<http::Stream> opened;
    http::Response response{200, "", "text/event-stream", {{"Cache-Control", "no-cache"}}};
    response.note = fmt::format("task {}", waiting.task.value());
    response.opened = [&opened](std::shared_ptr<http::Stream> stream) { opened = std::move(stream); };
    waiting.answer(response);  // opens it at once, where the client is there still
    return opened;
}

void Calls::ended(Number number) {
    Waiting waiting = take(number);
    const auto record = world_.engine.record(waiting.task);
    if (!record || !*record) return refuse(waiting, {500, "what became of the call cannot be read"});
    if ((*record)->state != State::succeeded || (*record)->attempts.empty())
        return refuse(waiting, refusal_of(**record));
    succeed(waiting, **record);
}

void Calls::succeed(Waiting& waiting, const server::TaskRecord& record) const {
    const Json output = Json::parse(record.attempts.back().details.output, nullptr, false);
    const Marks marks = marks_of(waiting);
    if (!waiting.call.stream) {
        const auto document = output.is_discarded() ? std::nullopt : whole_answer(waiting.call, output, marks);
        if (!document) return refuse(waiting, {502, "the model's answer is no vector", "", "model_failed"});
        auto response = server::json_response(200, *document);
        response.note = fmt::format("task {}", waiting.task.value());
        return waiting.answer(response);
    }
    const bool has_begun = waiting.stream != nullptr;
    if (!has_begun) waiting.stream = open_stream(waiting);
    if (!waiting.stream) return;
    if (!has_begun)
        for (const Json& piece : pieces_of(waiting.call, output, marks))
            waiting.stream->push(event_text(text_of(piece)));
    if (waiting.in_our_words) waiting.stream->push(event_text(text_of(last_piece(waiting.call, marks))));
    waiting.stream->push(event_text("[DONE]"));
    waiting.stream->finish();
}

void Calls::refuse(const Waiting& waiting, const Refusal& refusal) {
    if (!waiting.stream) {
        auto response = error_response(refusal);
        if (waiting.task != TaskId{}) response.note = fmt::format("task {}", waiting.task.value());
        return waiting.answer(response);
    }
    waiting.stream->push(event_text(text_of(Json{{"error", error_json(refusal)}})));
    waiting.stream->finish();
}

void Calls::give_up(Number number, const Refusal& refusal) {
    if (!waiting_.contains(number)) return;
    const Waiting waiting = take(number);
    if (waiting.task != TaskId{}) world_.engine.cancel(waiting.task, [](const Result<void>&) {});
    refuse(waiting, refusal);
}

Calls::Waiting Calls::take(Number number) {
    Waiting waiting = std::move(waiting_.extract(number).mapped());
    if (waiting.deadline) world_.loop.cancel(*waiting.deadline);
    by_task_.erase(waiting.task);
    if (waiting.call.stream) world_.pieces.forget(waiting.task);
    return waiting;
}

void Calls::cancel_left_over() {
    const NameId name = world_.engine.names().find(kTaskName);
    if (name == NameId{}) return;
    std::vector<TaskId> left;
    world_.engine.core().for_each_task([&](TaskId id, const Task& task) {
        if (task.spec.name == name) left.push_back(id);
    });
    for (const TaskId task : left) world_.engine.cancel(task, [](const Result<void>&) {});
}

}  // namespace sy::openai
