// Submitting: what clients and operators ask of the engine, up to the event that the brain will see.
#include <utility>

#include <fmt/format.h>

#include "service/server/engine.h"

namespace sy::server {

namespace {

/// Whether a submission asks for what the task under its key was to do.
bool is_same_wish(const TaskRecord& record, const Submission& said) {
    TaskSpec theirs = record.spec;
    theirs.deadline = said.spec.deadline;  // counted from when it was said
    if (!said.work.model.empty()) {        // what we estimate may have changed meanwhile
        theirs.demand.memory = said.spec.demand.memory;
        theirs.model_memory = said.spec.model_memory;
        theirs.next_memory = said.spec.next_memory;
    }
    return theirs == said.spec && record.work == said.work && record.name == said.name && record.delay == said.delay &&
           record.after == said.after && record.array == said.array;
}

}  // namespace

template <class T>
RequestId Engine::expect(Reply<T> reply) {
    last_request_ = last_request_.next();
    if constexpr (std::is_same_v<T, Placed>) {
        replies_.emplace(last_request_.value(), std::move(reply));
    } else {
        replies_.emplace(last_request_.value(), [reply = std::move(reply)](const Result<Placed>& result) {
            reply(result.map([](const Placed&) {}));
        });
    }
    return last_request_;
}

void Engine::submit(Submission submission, Reply<Placed> reply) {
    if (const std::string& why = takes_nothing_for(); !why.empty())
        return reply(fail(is_held() ? Fault::unreachable : Fault::failed,
                          fmt::format("no new work is taken for the moment: {}", why), "try again later"));
    submission.spec.user = names_.number_of(submission.user);
    submission.spec.name = names_.number_of(submission.name);
    if (!submission.kind.empty()) {
        const auto kind = kind_named(submission.kind);
        if (!kind) return reply(tl::unexpected(kind.error()));
        submission.spec.demand.kind = *kind;
    }
    submission.work.model = catalogue_.model_named(submission.work.model);
    if (const std::string& model = submission.work.model; !model.empty()) {
        submission.spec.model = names_.number_of(model);
        const auto estimate = catalogue_.estimate(model, submission.size);
        if (!estimate) return reply(tl::unexpected(estimate.error()));
        if (submission.estimate == Bytes{}) submission.estimate = *estimate;
        catalogue_.set_memory(model, submission.size.type, submission.estimate, submission.spec);
    }
    submission.work.next_model = catalogue_.model_named(submission.work.next_model);
    if (const std::string& next = submission.work.next_model; !next.empty()) {
        if (const auto known = catalogue_.estimate(next, {}); !known)
            return reply(fail(Fault::invalid_input, "next_" + known.error().message));
        submission.spec.next_model = names_.number_of(next);
        submission.spec.next_memory = catalogue_.models().at(next).memory;
    }
    if (!submission.key.empty() || !submission.after.empty()) turn();  // what was said before must count
    if (!submission.key.empty()) {
        const auto known = find_key(submission.key);
        if (!known) return reply(tl::unexpected(known.error()));  // taking it anyway might do it twice
        if (*known) return answer_again(**known, submission, reply);
    }
    SubmitTask event{.spec = submission.spec, .delay = submission.delay, .after = submission.after};
    if (const auto settled = settle_needs(event.after); !settled) return reply(tl::unexpected(settled.error()));
    if (submission.deadline) event.spec.deadline = later(now(), *submission.deadline);
    submission.spec.deadline = event.spec.deadline;
    event.request = expect(std::move(reply));
    submissions_.emplace(event.request, std::move(submission));
    events_.emplace_back(std::move(event));
}

/// Keeps the needs that are open. The brain knows only tasks that live.
Result<void> Engine::settle_needs(std::vector<Need>& after) {
    std::vector<Need> open;
    for (const Need& need : after) {
        if (core_.find(need.task) != nullptr) {
            open.push_back(need);
            continue;
        }
        const auto needed = record(need.task);
        if (!needed) return tl::unexpected(needed.error());
        if (!*needed) return fail(Fault::invalid_input, fmt::format("after: there is no task {}", need.task.value()));
        if (need.any_end || (*needed)->state == State::succeeded) continue;
        return fail(Fault::invalid_input, fmt::format("after: task {} has {}, so this one would never run",
                                                      need.task.value(), name_of((*needed)->state)));
    }
    after = std::move(open);
    return {};
}

Result<std::optional<KnownKeys::Known>> Engine::find_key(const std::string& word) {
    if (const auto known = keys_.find(word)) return known;
    const auto stored = reader_->find_key(word);
    if (!stored) return tl::unexpected(stored.error());
    if (!*stored) return std::nullopt;
    return KnownKeys::Known{**stored, 0};
}

Result<std::optional<TaskId>> Engine::task_under(const std::string& key) {
    return find_key(key).map([](const auto& known) { return known ? std::optional(known->task) : std::nullopt; });
}

/// Not before the first answer could have been given.
void Engine::answer_again(const KnownKeys::Known& known, const Submission& said, const Reply<Placed>& reply) {
    const auto first = record(known.task);
    if (!first) return reply(tl::unexpected(first.error()));
    if (!*first || !is_same_wish(**first, said))
        return reply(fail(Fault::invalid_input, fmt::format("the key '{}' was used for another task, number {}",
                                                            said.key, known.task.value())));
    const auto why = core_.explain(known.task);
    const Placed placed{known.task, why ? why->position : 0, true};
    if (known.group <= durable_) return reply(placed);
    outbox_.push_back({groups_, [reply, placed] { reply(placed); }});
}

void Engine::cancel(TaskId task, Reply<void> reply) {
    events_.emplace_back(CancelTask{expect(std::move(reply)), task});
}

void Engine::requeue(TaskId task, Reply<Placed> reply) {
    turn();  // somebody else may have said the same
    const auto found = record(task);
    if (!found) return reply(tl::unexpected(found.error()));
    if (!*found) return reply(fail(Fault::invalid_input, fmt::format("there is no task {}", task.value())));
    const TaskRecord& old = **found;
    if (!has_ended(old.state))
        return reply(fail(Fault::invalid_input, fmt::format("task {} has not ended", task.value())));
    if (old.again != TaskId{})
        return reply(fail(Fault::invalid_input,
                          fmt::format("task {} was requeued already, as task {}", task.value(), old.again.value())));
    Submission once_more{.name = old.name, .user = old.user, .work = old.work, .spec = old.spec};
    once_more.spec.deadline = kNever;
    once_more.array = old.array;
    once_more.size.type = old.type;
    once_more.estimate = old.estimate;
    once_more.in_place_of = task;
    submit(std::move(once_more), std::move(reply));
}

void Engine::use(Catalogue catalogue) {
    catalogue_ = std::move(catalogue);
    for (const auto& [name, model] : catalogue_.models()) {
        const NameId id = names_.number_of(name);
        if (model.pinned != core_.shelves().pinned().contains(id)) events_.emplace_back(PinModel{{}, id, model.pinned});
        prewarm(name, model.prewarm);
    }
}

/// A task that only loads it, for each GPU that is missing.
void Engine::prewarm(const std::string& model, std::uint32_t gpus) {
    const NameId id = names_.number_of(model);
    for (GpuId gpu; core_.ledger().knows(gpu) && gpus > 0; gpu = gpu.next())
        if (core_.shelves().holds(gpu, id)) --gpus;
    for (; gpus > 0; --gpus) {
        Submission load{.name = "prewarm", .user = "switchyard"};
        load.work.model = model;
        load.work.load_only = true;
        load.spec.level = Level::high;
        submit(std::move(load), [](const Result<Placed>&) {});
    }
}

void Engine::pin(const std::string& model, bool pinned, Reply<void> reply) {
    events_.emplace_back(PinModel{expect(std::move(reply)), names_.number_of(model), pinned});
}

void Engine::unload(const std::string& model, Reply<void> reply) {
    events_.emplace_back(UnloadModel{expect(std::move(reply)), names_.number_of(model)});
}

void Engine::change_level(TaskId task, Level level, Reply<Placed> reply) {
    events_.emplace_back(ChangeLevel{expect(std::move(reply)), task, level});
}

void Engine::move(TaskId task, MoveTo to, TaskId other, Reply<Placed> reply) {
    events_.emplace_back(MoveTask{expect(std::move(reply)), task, to, other});
}

void Engine::untie(TaskId task, Reply<Placed> reply) {
    events_.emplace_back(UntieTask{expect(std::move(reply)), task});
}

void Engine::forget_host(const std::string& name, Reply<void> reply) {
    events_.emplace_back(ForgetNode{expect(std::move(reply)), names_.find(name)});
}

void Engine::operate(GpuId gpu, GpuDuty duty, Reply<void> reply) {
    events_.emplace_back(OperateGpu{expect(std::move(reply)), gpu, duty});
}

void Engine::note_accepted(const Accepted& accepted, std::vector<TaskId>& changed) {
    const auto node = submissions_.extract(accepted.request);
    Submission& wanted = node.mapped();
    if (!wanted.key.empty()) {
        keys_.add(wanted.key, accepted.task, groups_);
        new_keys_.push_back({wanted.key, accepted.task});
    }
    if (wanted.in_place_of != TaskId{}) {
        auto old = record(wanted.in_place_of);
        if (!old) {
            writer_.reset();  // as in live_record
            return world_.broken(old.error());
        }
        if (*old) {
            (*old)->again = accepted.task;
            live_.insert_or_assign(wanted.in_place_of, std::move(**old));
            changed.push_back(wanted.in_place_of);
        }
    }
    live_.emplace(accepted.task, TaskRecord{.name = std::move(wanted.name),
                                            .user = std::move(wanted.user),
                                            .work = std::move(wanted.work),
                                            .spec = wanted.spec,
                                            .type = std::move(wanted.size.type),
                                            .estimate = wanted.estimate,
                                            .delay = wanted.delay,
                                            .after = std::move(wanted.after),
                                            .array = wanted.array,
                                            .in_place_of = wanted.in_place_of,
                                            .submitted = world_.wall()});
    changed.push_back(accepted.task);
    keep_change({.task = accepted.task, .level = wanted.spec.level});
}

}  // namespace sy::server
