#include "service/runs/runs.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "core/plan/verify.h"

namespace sy::runs {

namespace {

std::string in_folder(RunId id, const char* name) {
    return fmt::format("runs/{}/{}", id, name);
}

}  // namespace

Runs::Runs(store::Documents& documents, Surroundings around, World world)
    : documents_(documents), around_(std::move(around)), world_(std::move(world)) {}

Runs::~Runs() {
    for (Planning& planning : planning_) planning.thread.join();
}

std::optional<Json> Runs::read(RunId id, const char* name) const {
    const auto text = documents_.read(in_folder(id, name));
    if (!text) around_.say(fmt::format("run {}: {}", id, text.error().message));
    if (!text || !*text) return std::nullopt;
    Json json = Json::parse(**text, nullptr, false);
    return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

Result<void> Runs::write(RunId id, const char* name, const Json& json) const {
    return documents_.write(in_folder(id, name), json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> Runs::open() {
    const auto names = documents_.names("runs/");
    if (!names) return tl::unexpected(names.error());
    std::map<RunId, Json> orders;
    for (const std::string& name : *names) {
        const RunId id = std::strtoull(name.c_str() + std::string_view("runs/").size(), nullptr, 10);
        if (id == 0 || name != in_folder(id, "order.json")) continue;
        auto order = read(id, "order.json");
        if (!order) continue;  // a crash came before it was answered
        last_ = std::max(last_, id);
        if (auto end = read(id, "end.json")) {
            ended_.emplace(id, std::move(*end));
        } else {
            orders.emplace(id, std::move(*order));
        }
    }
    for (const auto& [id, json] : orders) {
        auto run = restored(json);
        if (!run) {
            around_.say(fmt::format("run {} cannot be gone on with: {}", id, run.error().message));
            continue;
        }
        plan_again(*runs_.emplace(id, std::move(*run)).first->second);
    }
    return {};
}

Result<RunId> Runs::add(RunOrder order) {
    order.id = last_ + 1;
    order.created = world_.wall();
    const RunId id = order.id;
    auto run = make(std::move(order));
    if (!run) return tl::unexpected(run.error());
    if (auto written = write(id, "order.json", to_json((*run)->order())); !written)
        return tl::unexpected(written.error());
    last_ = id;
    plan(*runs_.emplace(id, std::move(*run)).first->second);
    return id;
}

/// On a thread of its own: it takes as long as the order says.
void Runs::plan(Run& run) {
    const RunId id = run.order().id;
    planning_.push_back({id, std::thread([this, &run, id] {
                             Plan plan = run.make_plan();
                             const auto fine = plan::verify(run.batch(), plan);
                             if (!fine) plan.jobs.clear();  // the conductor plans what is not planned
                             world_.post(
                                 [this, id, plan = std::move(plan)]() mutable { planned(id, std::move(plan)); });
                         })});
}

bool Runs::is_being_planned(RunId id) const {
    return std::any_of(planning_.begin(), planning_.end(), [id](const Planning& p) { return p.run == id; });
}

void Runs::planned(RunId id, Plan plan) {
    const auto done = std::find_if(planning_.begin(), planning_.end(), [id](const Planning& p) { return p.run == id; });
    done->thread.join();
    planning_.erase(done);
    const auto found = runs_.find(id);
    if (found == runs_.end()) return;
    if (const auto kept = write(id, "plan.json", to_json(plan)); !kept)
        around_.say(fmt::format("run {}: {}", id, kept.error().message));
    found->second->adopt(std::move(plan));
}

/// The plan it was begun with, where there is one.
void Runs::plan_again(Run& run) {
    const auto before = read(run.order().id, "plan.json");
    auto plan = before ? read_plan(*before, run.problem().jobs().size()) : std::nullopt;
    if (!plan) return this->plan(run);
    run.adopt(std::move(*plan));
}

Result<void> Runs::cancel(RunId id) {
    Run* run = find(id);
    if (run == nullptr) return fail(Fault::invalid_input, fmt::format("there is no run {} under way", id));
    if (run->state() == RunState::ended || run->state() == RunState::cancelled) return {};
    run->cancel(world_.clock());
    finish(*run);
    return {};
}

Run* Runs::find(RunId id) {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : found->second.get();
}

Result<Run*> Runs::look_into(RunId id) {
    if (Run* run = find(id)) return run;
    if (looked_into_ && looked_into_->order().id == id) return looked_into_.get();
    const auto json = ended_.contains(id) ? read(id, "order.json") : std::nullopt;
    if (!json) return fail(Fault::invalid_input, fmt::format("there is no run {}", id));
    auto run = restored(*json);
    if (!run) return tl::unexpected(run.error());
    if (const auto refusals = read(id, "refusals.json")) (*run)->recall(*refusals);
    const auto began = read(id, "began.json");
    const auto plan = read(id, "plan.json");
    (*run)->adopt(plan ? read_plan(*plan, (*run)->problem().jobs().size()).value_or(Plan{}) : Plan{});
    const server::WallTime wall = world_.wall();
    if (const auto begun = (*run)->begin(world_.clock(), wall, began ? began->value("wall", wall) : wall); !begun)
        return tl::unexpected(begun.error());
    looked_into_ = std::move(*run);
    return looked_into_.get();
}

Result<std::unique_ptr<Run>> Runs::restored(const Json& json) const {
    auto order = read_order(json);
    if (!order) return tl::unexpected(order.error());
    return make(std::move(*order));
}

Result<std::unique_ptr<Run>> Runs::make(RunOrder order) const {
    auto document = input::parse_document(order.batch.dump(), "the batch");
    if (!document) return tl::unexpected(document.error());
    auto live = make_live(std::move(*document), world_.facts());
    if (!live) return tl::unexpected(live.error());
    if (!around_.allow_commands && live->content.has_commands())
        return fail(Fault::invalid_input, "commands are not allowed here (allow_commands)");
    return std::make_unique<Run>(std::move(order), std::move(*live), around_);
}

Result<Json> Runs::summary(RunId id) {
    if (const Run* run = find(id)) return run->summary(world_.clock(), world_.wall());
    const auto ended = ended_.find(id);
    if (ended == ended_.end()) return fail(Fault::invalid_input, fmt::format("there is no run {}", id));
    return ended->second;
}

std::optional<NextChange> Runs::next_change(GpuId gpu) const {
    for (const auto& [id, run] : runs_)
        if (auto next = run->next_change(gpu, world_.clock())) return next;
    return std::nullopt;
}

Json Runs::list() {
    std::map<RunId, Json> all = ended_;
    for (const auto& [id, run] : runs_) all.insert_or_assign(id, run->summary(world_.clock(), world_.wall()));
    Json list = Json::array();
    for (auto& [id, summary] : all) list.push_back(std::move(summary));
    return list;
}

void Runs::see(const server::Change& change) {
    if (const auto* task = std::get_if<server::TaskChange>(&change.what)) see(*task);
}

void Runs::see(const server::TaskChange& change) {
    using What = server::TaskChange::What;
    const auto found = by_task_.find(change.task);
    if (found == by_task_.end()) {
        if (change.what == What::started)
            for (const auto& [id, run] : runs_)
                if (run->state() == RunState::running) run->look_what_is_held(change.gpus.lead());
        return;
    }
    const auto owner = runs_.find(found->second);
    if (owner == runs_.end()) return;
    Run& run = *owner->second;
    if (change.what == What::started) run.started(change.task, change.gpus, world_.clock());
    if (change.what != What::ended) return;
    run.ended(change.task, change.after, world_.clock());
    by_task_.erase(found);
}

void Runs::advance() {
    if (!around_.engine.takes_work()) return;  // nothing would be taken
    begin_next();
    for (const auto& [id, run] : runs_) {
        run->advance(world_.clock(), [this, number = id](TaskId task) { by_task_.emplace(task, number); });
        if (run->state() == RunState::running && run->is_over()) finish(*run);
    }
    std::erase_if(runs_, [&](const auto& entry) {
        return ended_.contains(entry.first) && entry.second->is_settled() && !is_being_planned(entry.first);
    });
}

void Runs::begin_next() {
    if (runs_.empty() || !world_.settled()) return;
    for (const auto& [id, run] : runs_) {
        if (run->state() == RunState::running && !run->is_through()) return;
        if (run->state() == RunState::planning) return;
        if (run->state() != RunState::waiting) continue;
        server::WallTime wall = world_.wall();
        if (const auto before = read(id, "began.json")) {
            wall = before->value("wall", wall);
        } else if (const auto written = write(id, "began.json", Json{{"wall", wall}}); !written) {
            around_.say(fmt::format("run {}: {}", id, written.error().message));
        }
        if (const auto begun = run->begin(world_.clock(), world_.wall(), wall); !begun) {
            around_.say(fmt::format("run {} cannot begin: {}", id, begun.error().message));
            run->cancel(world_.clock());
            finish(*run);
            continue;
        }
        run->for_each_task([this, number = id](TaskId task) { by_task_.emplace(task, number); });
        return;
    }
}

void Runs::finish(Run& run) {
    run.close(world_.wall());
    const Json& end = ended_.insert_or_assign(run.order().id, run.summary(world_.clock(), world_.wall())).first->second;
    auto written = write(run.order().id, "refusals.json", run.refusals());
    if (written) written = write(run.order().id, "end.json", end);
    if (!written) around_.say(fmt::format("run {}: {}", run.order().id, written.error().message));
}

}  // namespace sy::runs
