#include "service/openai/batches.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "service/loop/loop.h"
#include "service/openai/answer.h"
#include "service/openai/calls.h"
#include "service/openai/ids.h"
#include "service/store/whole_file.h"

namespace sy::openai {

namespace {

namespace fs = std::filesystem;
using server::State;

/// Requests whose answers are written in one turn.
constexpr std::uint32_t kRequestsATurn = 200;
constexpr Duration kPauseAfterTrouble = 10s;
constexpr std::size_t kMostBatches = 100'000;

std::optional<Batch> read_batch(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return read_record(Json::parse(text.str(), nullptr, false));
}

/// A plan for few calls is not worth two seconds.
double seconds_to_plan(std::size_t steps) {
    return std::min(2.0, 0.05 + 0.001 * static_cast<double>(steps));
}

std::string line_of(const std::string& custom_id, TaskId task, const Json& response, const Json& error) {
    const Json line{{"id", fmt::format("batch_req_{}", task.value())},
                    {"custom_id", custom_id},
                    {"response", response},
                    {"error", error}};
    return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json response_of(unsigned status, TaskId task, Json body) {
    return {{"status_code", status}, {"request_id", fmt::format("task-{}", task.value())}, {"body", std::move(body)}};
}

std::string refused_line(const std::string& custom_id, TaskId task, const Refusal& refusal) {
    return line_of(custom_id, task, response_of(refusal.status, task, Json{{"error", error_json(refusal)}}), nullptr);
}

}  // namespace

Result<void> Batches::open() {
    std::error_code trouble;
    fs::create_directories(folder_, trouble);
    if (trouble) return fail(Fault::failed, fmt::format("{} cannot be made: {}", folder_, trouble.message()));
    std::map<std::string, runs::RunId> by_name;
    for (const Json& run : world_.runs.list()) by_name[run.value("name", "")] = run.value("id", runs::RunId{0});
    for (const auto& entry : fs::directory_iterator(folder_, trouble)) {
        if (entry.path().extension() != ".json") continue;
        auto batch = read_batch(entry.path());
        if (!batch) {
            world_.say(fmt::format("{} is no batch that can be read", entry.path().string()));
            continue;
        }
        const auto run = by_name.find(batch->id);
        if (run != by_name.end()) batch->run = run->second;
        if (!has_ended(batch->state) && batch->run == 0 && batch->counts.total > batch->unrunnable.size()) {
            fs::remove(entry.path(), trouble);  // a crash came before it was answered
            continue;
        }
        has_ended(batch->state) ? batch->unrunnable.clear() : open_.push_back(batch->id);
        batches_.emplace(batch->id, std::move(*batch));
    }
    std::sort(open_.begin(), open_.end());
    return {};
}

Result<void> Batches::keep(const Batch& batch) const {
    const std::string text = record_of(batch).dump(-1, ' ', false, Json::error_handler_t::replace);
    return store::write_whole(folder_ + "/" + batch.id + ".json", text + "\n");
}

Read<const Batch*> Batches::add(Batch batch) {
    const auto failed = [](const Error& error) { return tl::unexpected(Refusal{507, error.message}); };
    if (batches_.size() >= kMostBatches) return tl::unexpected(Refusal{507, "there are too many batches"});
    const auto text = world_.files.content(batch.input_file);
    if (!text) return tl::unexpected(Refusal{404, text.error().message, "input_file_id", "file_not_found"});
    const BatchInput input = read_batch_file(*text);
    batch.id = new_id("batch_");
    batch.created = now();
    batch.expires = batch.created + seconds_of_window(batch.window).value_or(0);
    for (const LineError& error : input.errors) batch.errors.push_back(to_json(error));
    if (!input.errors.empty()) {
        batch.state = BatchState::failed;
        batch.ended = batch.created;
        if (const auto kept = keep(batch); !kept) return failed(kept.error());
        return &batches_.emplace(batch.id, std::move(batch)).first->second;
    }
    BatchRun run = make_batch_run(input.lines, world_.find_model);
    batch.counts.total = input.lines.size();
    batch.unrunnable = std::move(run.unrunnable);
    if (const auto kept = keep(batch); !kept) return failed(kept.error());
    if (run.steps > 0) {
        runs::RunOrder order{.name = batch.id, .user = batch.user, .plan_seconds = seconds_to_plan(run.steps)};
        order.batch = std::move(run.document);
        const auto id = world_.runs.add(std::move(order));
        if (!id) {
            std::error_code ignored;
            fs::remove(folder_ + "/" + batch.id + ".json", ignored);
            const bool is_theirs = id.error().fault == Fault::invalid_input || id.error().fault == Fault::infeasible;
            return tl::unexpected(Refusal{is_theirs ? 400U : 507U, id.error().message, "input_file_id"});
        }
        batch.run = *id;
    }
    open_.push_back(batch.id);
    return &batches_.emplace(batch.id, std::move(batch)).first->second;
}

Read<const Batch*> Batches::cancel(const std::string& id) {
    const auto found = batches_.find(id);
    if (found == batches_.end())
        return tl::unexpected(Refusal{404, fmt::format("there is no batch '{}'", id), "", "batch_not_found"});
    Batch& batch = found->second;
    look(batch);
    if (has_ended(batch.state))
        return tl::unexpected(Refusal{409, fmt::format("the batch is {} already", name_of(batch.state))});
    if (batch.cancelling == 0) {
        batch.cancelling = now();
        if (const auto kept = keep(batch); !kept) return tl::unexpected(Refusal{507, kept.error().message});
        (void)world_.runs.cancel(batch.run);  // where it is over already, what came of it counts
    }
    look(batch);
    return &batch;
}

const Batch* Batches::find(const std::string& id) {
    const auto found = batches_.find(id);
    if (found == batches_.end()) return nullptr;
    look(found->second);
    return &found->second;
}

std::vector<const Batch*> Batches::all() {
    std::vector<const Batch*> batches;
    for (auto& [id, batch] : batches_) {
        look(batch);
        batches.push_back(&batch);
    }
    std::sort(batches.begin(), batches.end(),
              [](const Batch* a, const Batch* b) { return std::tie(b->created, b->id) < std::tie(a->created, a->id); });
    return batches;
}

/// What its run has come to.
void Batches::look(Batch& batch) const {
    if (has_ended(batch.state)) return;
    const runs::Run* run = world_.runs.find(batch.run);
    if (run == nullptr) {
        batch.state = batch.cancelling != 0 || batch.has_expired ? BatchState::cancelling : BatchState::finalizing;
        return;
    }
    const bool begun = run->state() != runs::RunState::planning;
    if (begun && batch.in_progress == 0) batch.in_progress = now();
    batch.state = batch.cancelling != 0 ? BatchState::cancelling
                  : begun               ? BatchState::in_progress
                                        : BatchState::validating;
    const auto summary = world_.runs.summary(batch.run);
    if (!summary || !summary->contains("counts")) return;
    const Json& counts = (*summary)["counts"];
    batch.counts.completed = counts.value("done", std::uint64_t{0});
    batch.counts.failed =
        batch.unrunnable.size() + counts.value("failed", std::uint64_t{0}) + counts.value("skipped", std::uint64_t{0});
}

void Batches::advance() {
    if (open_.empty() || loop::Loop::now() < try_again_) return;
    const std::vector<std::string> open = open_;
    for (const std::string& id : open) {
        Batch& batch = batches_.at(id);
        see_window(batch);
        if (world_.runs.find(batch.run) == nullptr) close_some(batch);
    }
}

void Batches::see_window(Batch& batch) {
    if (batch.has_expired || batch.cancelling != 0 || now() < batch.expires) return;
    if (world_.runs.find(batch.run) == nullptr) return;
    batch.has_expired = true;
    if (const auto kept = keep(batch); !kept) world_.say(fmt::format("{}: {}", batch.id, kept.error().message));
    (void)world_.runs.cancel(batch.run);
}

bool Batches::begin_closing(Batch& batch) {
    if (closing_.contains(batch.id)) return true;
    auto closing = std::make_unique<Closing>();
    closing->counts.total = batch.counts.total;
    auto opened = closing->outputs.open(world_.files.path_of("file-output-" + batch.id));
    if (opened) opened = closing->errors.open(world_.files.path_of("file-errors-" + batch.id));
    if (!opened) {
        world_.say(fmt::format("{}: {}", batch.id, opened.error().message));
        try_again_ = loop::Loop::now() + kPauseAfterTrouble;
        return false;
    }
    if (batch.finalizing == 0) batch.finalizing = now();
    for (const Unrunnable& line : batch.unrunnable) {
        closing->errors.add(refused_line(line.custom_id, TaskId{}, line.refusal));
        ++closing->counts.failed;
    }
    closing_.emplace(batch.id, std::move(closing));
    return true;
}

void Batches::close_some(Batch& batch) {
    if (!begin_closing(batch)) return;
    Closing& closing = *closing_.at(batch.id);
    if (batch.run == 0) return finish(batch, closing);
    const auto run = world_.runs.look_into(batch.run);
    if (!run) {
        batch.errors.push_back(to_json(LineError{"lost", run.error().message, "", std::nullopt}));
        return end(batch, BatchState::failed);
    }
    const sy::Batch& work = (*run)->batch();
    const auto last = std::min<std::size_t>(work.requests.size(), closing.next_request + kRequestsATurn);
    for (; closing.next_request < last; ++closing.next_request) {
        const auto& steps = work.workflows[work.requests[closing.next_request].workflow].steps;
        for (std::uint32_t step = 0; step < steps.size(); ++step)
            write_line(batch, **run, closing.next_request, step, closing);
    }
    if (closing.next_request == work.requests.size()) finish(batch, closing);
}

void Batches::write_line(const Batch& batch, const runs::Run& run, std::uint32_t request, std::uint32_t step,
                         Closing& closing) const {
    const sy::Batch& work = run.batch();
    const Workflow& workflow = work.workflows[work.requests[request].workflow];
    const std::string& custom_id = custom_id_of(work.requests[request], workflow, step);
    const JobIndex job = run.problem().jobs().first_of(request) + step;
    const runs::JobEnd ended = run.end_of(job);
    const auto fail_with = [&](const std::string& line) {
        closing.errors.add(line);
        ++closing.counts.failed;
    };
    if (!ended.refused.empty())
        return fail_with(refused_line(custom_id, ended.task, {400, ended.refused, "", "not_run"}));
    const bool has_run = ended.record && server::has_ended(ended.record->state);
    if (!has_run || ended.record->state == State::cancelled || ended.record->state == State::skipped) {
        const bool cut = batch.cancelling != 0 || batch.has_expired;
        const char* code = batch.has_expired ? "batch_expired" : cut ? "batch_cancelled" : "not_run";
        const char* why = batch.has_expired ? "the batch's window was over before this was run"
                          : cut             ? "the batch was cancelled before this was run"
                                            : "this was cancelled, or a call it depends on failed";
        return fail_with(line_of(custom_id, ended.task, nullptr, Json{{"code", code}, {"message", why}}));
    }
    if (ended.record->state != State::succeeded)
        return fail_with(refused_line(custom_id, ended.task, refusal_of(*ended.record)));
    const Json input = Json::parse(ended.record->work.input, nullptr, false);
    Call call{.path = input.value("path", ""), .model = ended.record->work.model, .body = Json::object()};
    call.base64 = input.value("body", Json::object()).value("encoding_format", Json()) == "base64";
    auto answer =
        whole_answer(call, ended.answer, {fmt::format("call-{}", ended.task.value()), ended.record->ended / 1000});
    if (!answer)
        return fail_with(
            refused_line(custom_id, ended.task, {502, "the model's answer is no vector", "", "model_failed"}));
    closing.outputs.add(line_of(custom_id, ended.task, response_of(200, ended.task, std::move(*answer)), nullptr));
    ++closing.counts.completed;
}

Result<std::string> Batches::keep_file(const Batch& batch, const char* what, LineFile& lines) {
    if (lines.bytes() == 0) return std::string();
    const std::string id = fmt::format("file-{}-{}", what, batch.id);
    const File file{.id = id,
                    .name = fmt::format("{}_{}.jsonl", batch.id, what),
                    .purpose = "batch_output",
                    .bytes = lines.bytes(),
                    .created = now()};
    auto kept = lines.finish();
    if (kept) kept = world_.files.adopt(file);
    if (!kept) return tl::unexpected(kept.error());
    return id;
}

/// Everything is on disk before the batch says that it has ended. A crash before that: it is written anew, alike.
void Batches::finish(Batch& batch, Closing& closing) {
    auto output = keep_file(batch, "output", closing.outputs);
    auto errors = output ? keep_file(batch, "errors", closing.errors) : output;
    if (!output || !errors) {
        world_.say(fmt::format("{}: {}", batch.id, (output ? errors : output).error().message));
        closing_.erase(batch.id);
        try_again_ = loop::Loop::now() + kPauseAfterTrouble;
        return;
    }
    batch.output_file = *output;
    batch.error_file = *errors;
    batch.counts = closing.counts;
    const bool whole = closing.counts.completed + closing.counts.failed == closing.counts.total;
    end(batch, batch.has_expired       ? BatchState::expired
               : batch.cancelling != 0 ? BatchState::cancelled
               : whole                 ? BatchState::completed
                                       : BatchState::failed);
}

void Batches::end(Batch& batch, BatchState state) {
    const BatchState before = batch.state;
    batch.state = state;
    batch.ended = now();
    closing_.erase(batch.id);
    if (const auto kept = keep(batch); !kept) {
        world_.say(fmt::format("{}: {}", batch.id, kept.error().message));
        batch.state = before;
        try_again_ = loop::Loop::now() + kPauseAfterTrouble;
        return;
    }
    batch.unrunnable.clear();  // they are in the file
    std::erase(open_, batch.id);
}

}  // namespace sy::openai
